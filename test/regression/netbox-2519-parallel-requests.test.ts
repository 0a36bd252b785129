import { expect, it } from "vitest";
import { MemoryDisk } from "#events/memory-store.js";
import { ask, furnish, openOn } from "./realm-bench.js";

/** netbox#2519, #3475: clients that asked for the next free address at the same time got the same one. */
it("sixteen requests at once get sixteen pairs", async () => {
  const realm = await openOn(new MemoryDisk());
  await furnish(realm, "10.0.0.0/27");
  const got = await Promise.all(Array.from({ length: 16 }, (_, i) => ask(realm, `n${i}`)));
  expect(new Set(got.flatMap((pair) => pair.split(" "))).size).toBe(32);
  expect(await ask(realm, "late")).toBe("pool-exhausted");
  await realm.close();
});
