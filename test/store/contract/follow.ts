import { describe, expect, it } from "vitest";
import type { EventStore } from "#events/store.js";
import { body } from "../records.js";
import { refused } from "./harness.js";

export function followContract(opened: () => Promise<EventStore>): void {
  describe("follow", () => {
    it("gives what is there and then what comes, each batch once and in order, until it is aborted", async () => {
      const store = await opened();
      for (let position = 0; position < 10; position++) await store.append(position, body(position + 1, 1), 1, position);
      const abort = new AbortController();
      const seen: number[] = [];
      for await (const batch of store.follow(4, abort.signal)) {
        seen.push(batch.first);
        // Each answer to an append is awaited here, so the next is written after the follower has caught up.
        if (batch.first >= 10 && batch.first < 30) await store.append(batch.first, body(batch.first + 1, 1), 1, batch.first);
        if (batch.first === 30) abort.abort();
      }
      expect(seen).toEqual(Array.from({ length: 27 }, (_, index) => index + 4));
    });

    it("misses nothing that is written while its consumer is busy", async () => {
      const store = await opened();
      const abort = new AbortController();
      const seen: number[] = [];
      const following = (async () => {
        for await (const batch of store.follow(1, abort.signal)) {
          seen.push(batch.first);
          await new Promise((resolve) => setImmediate(resolve));
          if (batch.first === 200) abort.abort();
        }
      })();
      await Promise.all(Array.from({ length: 200 }, (_, position) => store.append(position, body(position + 1, 1), 1, position)));
      await following;
      expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    });

    it("begins past the head by waiting, and wakes on the first batch", async () => {
      const store = await opened();
      const abort = new AbortController();
      const following = store.follow(1, abort.signal)[Symbol.asyncIterator]();
      const first = following.next();
      await store.append(0, body(1, 2), 2, 1);
      const { value } = (await first) as { value: { first: number; count: number } };
      expect([value.first, value.count]).toEqual([1, 2]);
      const waiting = following.next();
      abort.abort();
      expect((await waiting).done).toBe(true);
    });

    it("ends at once when it is aborted before it begins", async () => {
      const store = await opened();
      await store.append(0, body(1, 1), 1, 1);
      for await (const batch of store.follow(1, AbortSignal.abort())) expect(batch).toBeUndefined();
    });

    it("is refused with `closed` when the store closes under it", async () => {
      const store = await opened();
      const waiting = store.follow(1, new AbortController().signal)[Symbol.asyncIterator]().next();
      const refusal = refused(waiting, "closed");
      await store.close();
      await refusal;
    });
  });
}
