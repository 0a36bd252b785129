import { expect, it } from "vitest";
import { Core } from "#events/core.js";
import { MemoryDisk } from "#events/memory-store.js";
import { ask, envelope, furnish, openOn, request } from "./realm-bench.js";

/** netmaker#2356, kubeip#131, gravity PR#1030: two processes that served joins at the same time gave the same address. */
it("the loser of an append takes over what the winner wrote and decides again", async () => {
  const disk = new MemoryDisk();
  const realm = await openOn(disk);
  await furnish(realm, "10.0.0.0/29");
  const winner = Core.create();
  for (const { body } of disk.batches) winner.apply(body);
  const { events, count } = winner.submit([{ command: request("theirs"), envelope }]);
  disk.failAppend(1, { kind: "conflict", body: events, count });
  expect(await ask(realm, "ours")).toBe("10.0.0.2 10.0.0.3");
  expect(await ask(realm, "theirs")).toBe("10.0.0.0 10.0.0.1");
  await realm.close();
});
