import { describe, expect, it } from "vitest";
import type { EventStore } from "#events/store.js";
import { all, body, hex } from "../records.js";

async function withBatches(store: EventStore, counts: readonly number[]): Promise<EventStore> {
  let position = 0;
  const calls: Promise<unknown>[] = [];
  for (const [index, count] of counts.entries()) {
    calls.push(store.append(position, body(position + 1, count), count, 1_000 + index * 10));
    position += count;
  }
  await Promise.all(calls);
  return store;
}

export function readContract(opened: () => Promise<EventStore>): void {
  describe("read", () => {
    it("begins with the batch that holds the position, and ends at the head", async () => {
      const store = await withBatches(await opened(), [3, 1, 4, 2]);
      const from = async (position: number): Promise<number[]> => (await all(store.read(position))).map(({ first }) => first);
      expect(await from(0)).toEqual([1, 4, 5, 9]);
      expect(await from(1)).toEqual([1, 4, 5, 9]);
      expect(await from(3)).toEqual([1, 4, 5, 9]);
      expect(await from(4)).toEqual([4, 5, 9]);
      expect(await from(8)).toEqual([5, 9]);
      expect(await from(9)).toEqual([9]);
      expect(await from(10)).toEqual([9]);
      expect(await from(11)).toEqual([]);
      expect(await from(1e12)).toEqual([]);
    });

    it("gives each batch the digest of the one before, wherever it begins", async () => {
      const store = await withBatches(await opened(), [1, 1, 1, 1]);
      const whole = await all(store.read(1));
      const tail = await all(store.read(3));
      expect(hex(tail[0]!.previous)).toBe(hex(whole[1]!.digest));
      expect(hex(tail[1]!.previous)).toBe(hex(tail[0]!.digest));
    });

    it("does not reach past the head at the time of the call", async () => {
      const store = await withBatches(await opened(), [2, 2]);
      const reading = store.read(1);
      await store.append(4, body(5, 1), 1, 9_000);
      expect((await all(reading)).map(({ first }) => first)).toEqual([1, 3]);
    });

    it("gives thousands of small batches in order, without a hole", async () => {
      const store = await withBatches(await opened(), Array.from({ length: 9_000 }, (_, index) => 1 + (index % 3)));
      let next = 1;
      for await (const batch of store.read(1)) {
        expect(batch.first).toBe(next);
        next += batch.count;
      }
      expect(next).toBe(store.head().position + 1);
    });

    it("may be left early, and more than one may run at a time", async () => {
      const store = await withBatches(await opened(), Array.from({ length: 300 }, () => 2));
      for await (const batch of store.read(1)) if (batch.first > 20) break;
      const both = await Promise.all([all(store.read(1)), all(store.read(301))]);
      expect(both.map(({ length }) => length)).toEqual([300, 150]);
      expect((await store.append(600, body(601, 1), 1, 9_000)).head.position).toBe(601);
    });

    it("gives bodies whose buffers may be handed to another thread", async () => {
      const store = await opened();
      await store.append(0, body(1, 1, 200_000), 1, 1);
      await store.append(1, body(2, 1), 1, 1);
      for await (const batch of store.read(1)) {
        const buffer = batch.body.buffer as ArrayBuffer;
        structuredClone(buffer, { transfer: [buffer] });
        expect(buffer.byteLength).toBe(0);
      }
      expect((await all(store.read(1))).map((batch) => hex(batch.body.subarray(0, 64)))).toEqual([hex(body(1, 1, 200_000).subarray(0, 64)), hex(body(2, 1))]);
      expect((await store.verify()).ok).toBe(true);
    });
  });

  describe("positionAt", () => {
    it("is the last event written at or before the time", async () => {
      // Times 1000, 1010, 1020 ... for positions 3, 4, 8, 10.
      const store = await withBatches(await opened(), [3, 1, 4, 2]);
      const times = [0, 999, 1_000, 1_009, 1_010, 1_019, 1_020, 1_030, 5e12];
      expect(await Promise.all(times.map((at) => store.positionAt(at)))).toEqual([0, 0, 3, 3, 4, 4, 8, 10, 10]);
    });

    it("is the last of several batches written at the same time", async () => {
      const store = await opened();
      for (let index = 0; index < 5; index++) await store.append(index, body(index + 1, 1), 1, index < 2 ? 7 : 8);
      expect([await store.positionAt(7), await store.positionAt(8)]).toEqual([2, 5]);
    });

    it("is 0 for an empty log", async () => {
      expect(await (await opened()).positionAt(5e12)).toBe(0);
    });
  });
}
