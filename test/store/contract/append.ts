import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { EventStore } from "#events/store.js";
import { all, body, hex, HEAD_BYTES } from "../records.js";
import { refused } from "./harness.js";

/** The digest as docs/events.md states it, written a second time so that the store cannot grade itself. */
function expectedDigest(previous: Uint8Array, epoch: number, first: number, count: number, at: number, bytes: Uint8Array): string {
  const header = Buffer.alloc(32);
  header.write("HFB1", 0, "latin1");
  header.writeUInt32LE(epoch, 4);
  header.writeBigUInt64LE(BigInt(first), 8);
  header.writeUInt32LE(count, 16);
  header.writeUInt32LE(bytes.byteLength, 20);
  header.writeBigUInt64LE(BigInt(at), 24);
  return createHash("sha256").update(previous).update(header).update(bytes).digest("hex");
}

/** `opened` gives a store on a new, empty log and sees to its end. */
export function appendContract(opened: () => Promise<EventStore>): void {
  describe("append", () => {
    it("starts at position 0 with a digest of zeros", async () => {
      const store = await opened();
      expect(store.head()).toEqual({ position: 0, digest: new Uint8Array(32) });
      expect(store.epoch).toBe(1);
      expect(store.logId).toMatch(/^[0-9a-f-]{36}$/);
      expect(await all(store.read(1))).toEqual([]);
    });

    it("gives back what was written, with the digest that the documentation states", async () => {
      const store = await opened();
      const one = body(1, 3);
      const two = body(4, 2, 100);
      await store.append(0, one, 3, 1_000);
      const { head, bytes } = await store.append(3, two, 2, 2_000);
      const read = await all(store.read(1));
      expect(read.map(({ first, count, at, epoch }) => ({ first, count, at, epoch }))).toEqual([
        { first: 1, count: 3, at: 1_000, epoch: 1 },
        { first: 4, count: 2, at: 2_000, epoch: 1 },
      ]);
      expect(read.map((batch) => hex(batch.body))).toEqual([hex(one), hex(two)]);
      expect(hex(read[0]!.previous)).toBe("00".repeat(32));
      expect(hex(read[0]!.digest)).toBe(expectedDigest(new Uint8Array(32), 1, 1, 3, 1_000, one));
      expect(hex(read[1]!.previous)).toBe(hex(read[0]!.digest));
      expect(hex(read[1]!.digest)).toBe(expectedDigest(read[0]!.digest, 1, 4, 2, 2_000, two));
      expect({ position: head.position, digest: hex(head.digest), bytes }).toEqual({ position: 5, digest: hex(read[1]!.digest), bytes: two.byteLength });
      expect(hex(store.head().digest)).toBe(hex(head.digest));
    });

    it("refuses a wrong expected position with the position the log is at, and writes nothing", async () => {
      const store = await opened();
      await store.append(0, body(1, 5), 5, 1);
      const behind = await refused(store.append(2, body(3, 1), 1, 1), "conflict");
      expect(behind.facts.actual).toBe(5);
      const ahead = await refused(store.append(9, body(10, 1), 1, 1), "conflict");
      expect(ahead.facts.actual).toBe(5);
      expect(store.head().position).toBe(5);
      expect((await all(store.read(1))).length).toBe(1);
      expect((await store.append(5, body(6, 1), 1, 1)).head.position).toBe(6);
    });

    it("lets appends follow each other unanswered, and answers them in the order they were called", async () => {
      const store = await opened();
      const order: number[] = [];
      const calls = Array.from({ length: 50 }, (_, index) =>
        store.append(index * 2, body(index * 2 + 1, 2), 2, index).then(({ head }) => {
          order.push(head.position);
          expect(store.head().position).toBeGreaterThanOrEqual(head.position);
        }),
      );
      await Promise.all(calls);
      expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index * 2 + 2));
      expect((await all(store.read(1))).map(({ first }) => first)).toEqual(order.map((position) => position - 1));
    });

    it("lets one of two appends for the same place win, whole", async () => {
      const store = await opened();
      const [first, second] = await Promise.allSettled([store.append(0, body(1, 2, 64, 1), 2, 1), store.append(0, body(1, 3, 64, 2), 3, 1)]);
      expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
      const read = await all(store.read(1));
      expect(read.map((batch) => hex(batch.body))).toEqual([hex(body(1, 2, 64, 1))]);
    });

    it("writes nothing for an append of nothing, but still compares the position", async () => {
      const store = await opened();
      await store.append(0, body(1, 1), 1, 5);
      const before = store.head();
      const { head, bytes } = await store.append(1, new Uint8Array(0), 0, 9);
      expect([head.position, hex(head.digest), bytes]).toEqual([1, hex(before.digest), 0]);
      expect((await all(store.read(1))).length).toBe(1);
      await refused(store.append(0, new Uint8Array(0), 0, 9), "conflict");
    });

    it("never writes a time before the time of the batch before", async () => {
      const store = await opened();
      await store.append(0, body(1, 1), 1, 5_000);
      await store.append(1, body(2, 1), 1, 4_000);
      await store.append(2, body(3, 1), 1, 5_001);
      expect((await all(store.read(1))).map(({ at }) => at)).toEqual([5_000, 5_000, 5_001]);
    });

    it("takes the body as it was at the call, whatever the caller does to its buffer afterwards", async () => {
      const store = await opened();
      const buffer = body(1, 4);
      const kept = hex(buffer);
      const call = store.append(0, buffer, 4, 1);
      buffer.fill(0xee);
      await call;
      expect(hex((await all(store.read(1)))[0]!.body)).toBe(kept);
    });

    it("takes a body that is a part of a larger buffer", async () => {
      const store = await opened();
      const outer = new Uint8Array(1_000);
      outer.set(body(1, 2, 100), 77);
      await store.append(0, outer.subarray(77, 277), 2, 1);
      expect(hex((await all(store.read(1)))[0]!.body)).toBe(hex(body(1, 2, 100)));
    });

    it("writes a body of megabytes", async () => {
      const store = await opened();
      const large = body(1, 5, 1_000_000);
      await store.append(0, large, 5, 1);
      await store.append(5, body(6, 1), 1, 1);
      const read = await all(store.read(3));
      expect(read.map(({ first }) => first)).toEqual([1, 6]);
      expect(Buffer.compare(read[0]!.body, large)).toBe(0);
    });

    const wrong: [what: string, mends: (good: Uint8Array, view: DataView) => Uint8Array, count: number, says: RegExp][] = [
      ["a record that claims more than the body holds", (good, view) => (view.setUint32(0, 129, true), good), 2, /claims 129 bytes/],
      ["a record shorter than its own start", (good, view) => (view.setUint32(0, HEAD_BYTES - 1, true), good), 2, /claims 23 bytes/],
      ["a record that is cut off", (good) => good.subarray(0, 70), 2, /ends inside record 2/],
      ["more records than were counted", (good) => good, 1, /64 bytes stand behind/],
      ["fewer records than were counted", (good) => good, 3, /ends inside record 3/],
      ["a position that leaves a hole", (good, view) => (view.setBigUint64(64 + 8, 3n, true), good), 2, /carries position 3 where 2 belongs/],
      ["a position that is far away", (good, view) => (view.setBigUint64(8, (1n << 40n) + 1n, true), good), 2, /carries position 1099511627777/],
    ];
    it.each(wrong)("refuses %s, and writes nothing", async (_, mend, count, says) => {
      const store = await opened();
      const good = body(1, 2, 64);
      const bad = mend(good, new DataView(good.buffer));
      await expect(store.append(0, bad, count, 1)).rejects.toThrow(says);
      await expect(store.append(0, bad, count, 1)).rejects.toBeInstanceOf(RangeError);
      expect(store.head().position).toBe(0);
      expect((await store.append(0, body(1, 2), 2, 1)).head.position).toBe(2);
    });

    it.each([
      ["expected", -1, 1, 1],
      ["expected", 0.5, 1, 1],
      ["expected", Number.NaN, 1, 1],
      ["count", 0, -1, 1],
      ["count", 0, 2 ** 32, 1],
      ["at", 0, 1, -1],
      ["at", 0, 1, 1.5],
    ])("refuses %s %d with count %d and time %d, naming the field", async (field, expected, count, at) => {
      const store = await opened();
      await expect(store.append(expected, body(1, 1), count, at)).rejects.toThrow(new RegExp(`append: ${field} must be`));
    });
  });
}
