import { expect, it } from "vitest";
import { MemoryDisk } from "#events/memory-store.js";
import { ask, furnish, openOn } from "./realm-bench.js";

/** whereabouts#313, #508: 128 pods in 16 networks took minutes, one locked round trip for each address. */
it("two thousand requests at once are a few durable writes, not two thousand", async () => {
  const disk = new MemoryDisk();
  const realm = await openOn(disk);
  await furnish(realm, "10.0.0.0/16");
  const before = disk.batches.length;
  const got = await Promise.all(Array.from({ length: 2048 }, (_, i) => ask(realm, `n${i}`)));
  expect(new Set(got).size).toBe(2048);
  expect(disk.batches.length - before).toBeLessThanOrEqual(16);
  await realm.close();
});
