import { expect, it } from "vitest";
import type { Event } from "#events/event.js";
import { MemoryDisk } from "#events/memory-store.js";
import { ask, furnish, openOn } from "./realm-bench.js";

/** redux-devtools#81, #333: the view of the history died of thousands of actions. temporal ui#645: an export came in the wrong order. */
it("a long history is read in windows, forward, each event once and always under the same number", async () => {
  const realm = await openOn(new MemoryDisk());
  await furnish(realm, "10.0.0.0/16");
  await Promise.all(Array.from({ length: 3000 }, (_, i) => ask(realm, `n${i}`)));
  const read: Event[] = [];
  for (let after = 0; after < realm.head().position; ) {
    const window = await realm.events({ after, limit: 250 });
    expect(window.events.length).toBeLessThanOrEqual(250);
    read.push(...window.events);
    after = window.scanned;
  }
  expect(read.map(({ position }) => position)).toEqual(Array.from({ length: 3003 }, (_, i) => i + 1));
  expect((await realm.events({ after: 1233, limit: 1 })).events).toEqual([read[1233]]);
  expect((await realm.events({ after: 0, limit: 5, types: ["endpoint-defined"] })).events).toEqual([read[2]]);
  await realm.close();
});
