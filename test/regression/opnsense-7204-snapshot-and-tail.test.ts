import { expect, it } from "vitest";
import { MemoryDisk } from "#events/memory-store.js";
import { rebuild } from "#events/replay.js";
import { openMemoryStore } from "#events/memory-store.js";
import { ask, furnish, openOn } from "./realm-bench.js";

/** opnsense#7204, #10019: Kea's clean-up of its lease file hid leases that were valid. */
it("a snapshot and the events behind it hold every live lease that the whole log holds", async () => {
  const disk = new MemoryDisk();
  const realm = await openOn(disk);
  await furnish(realm, "10.0.0.0/24");
  const held = new Map<string, string>();
  for (let i = 0; i < 60; i++) {
    held.set(`n${i}`, await ask(realm, `n${i}`));
    if (i % 20 === 9) await realm.snapshot();
  }
  await realm.close();

  const store = await openMemoryStore(disk);
  const head = store.head().position;
  expect((await store.snapshots()).length).toBeGreaterThan(0);
  const [short, whole] = [await rebuild(store, head), await rebuild(store, head, { fromStart: true })];
  expect(short.hash()).toBe(whole.hash());
  await store.close();
  const reopened = await openOn(disk);
  for (const [client, pair] of held) expect(await ask(reopened, client)).toBe(pair);
  await reopened.close();
});
