import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventStore } from "#events/store.js";
import { all, body } from "../records.js";
import { refused, type LogHarness, type MakeHarness } from "./harness.js";

const image = (bytes: number, salt = 0): Uint8Array => Uint8Array.from({ length: bytes }, (_, index) => (index * 7 + salt) & 0xff);

export function snapshotContract(make: MakeHarness): void {
  describe("snapshots", () => {
    let log: LogHarness;
    let store: EventStore;
    beforeEach(async () => {
      log = await make();
      store = await log.open();
      for (let batch = 0; batch < 5; batch++) await store.append(batch * 4, body(batch * 4 + 1, 4), 4, 1_000);
    });
    afterEach(async () => {
      await store.close();
      await log.dispose();
    });

    const write = (position: number, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array> = [image(10, position)]) =>
      store.writeSnapshot({ position, stateHash: "abcdef0123456789", coreVersion: 3 }, chunks);

    it("come back byte for byte, from chunks of any size and either kind", async () => {
      const parts = [image(5), new Uint8Array(0), image(3_000_000, 1), image(1, 2)];
      async function* slowly(): AsyncGenerator<Uint8Array> {
        for (const part of parts) {
          await new Promise((resolve) => setImmediate(resolve));
          yield part;
        }
      }
      const info = await write(8, slowly());
      expect(info).toMatchObject({ position: 8, stateHash: "abcdef0123456789", coreVersion: 3, bytes: 3_000_006 });
      expect(info.at).toBeGreaterThan(1_700_000_000_000);
      expect(Buffer.compare(Buffer.concat(await all(store.readSnapshot(8))), Buffer.concat(parts))).toBe(0);
      expect(await store.snapshots()).toEqual([info]);
      const empty = await write(12, []);
      expect(empty.bytes).toBe(0);
      expect(Buffer.concat(await all(store.readSnapshot(12))).byteLength).toBe(0);
    });

    it("are listed newest first, older ones too while they are smaller than the log", async () => {
      for (const position of [4, 8, 20, 12]) await write(position);
      expect((await store.snapshots()).map(({ position }) => position)).toEqual([20, 12, 8, 4]);
      await write(20, [image(77)]);
      expect((await store.snapshots()).map(({ position, bytes }) => [position, bytes])).toEqual([[20, 77], [12, 10], [8, 10], [4, 10]]);
    });

    it("are kept to the newest two where they are larger than the log", async () => {
      for (const position of [4, 8, 20, 12]) await write(position, [image(1_000_000)]);
      expect((await store.snapshots()).map(({ position }) => position)).toEqual([20, 12]);
      await refused((async () => all(store.readSnapshot(8)))(), "unavailable");
    });

    it("may lie at a position inside a batch", async () => {
      await write(6);
      expect((await store.snapshots()).map(({ position }) => position)).toEqual([6]);
    });

    it("survive reopening", async () => {
      const info = await write(16);
      await store.close();
      store = await log.open();
      expect(await store.snapshots()).toEqual([info]);
      expect(Buffer.concat(await all(store.readSnapshot(16)))).toEqual(Buffer.from(image(10, 16)));
      expect((await store.verify()).snapshots).toEqual([{ position: 16, ok: true }]);
    });

    it("leave nothing behind when their source fails", async () => {
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield image(100);
        await Promise.resolve();
        throw new Error("the core trapped");
      }
      await expect(write(8, failing())).rejects.toThrow("the core trapped");
      expect(await store.snapshots()).toEqual([]);
      expect((await store.verify()).snapshots).toEqual([]);
      expect((await write(8)).position).toBe(8);
    });

    it("are refused past the head, at 0, and with a state hash that is none", async () => {
      await expect(write(21)).rejects.toThrow(/snapshot: position must be from 1 to the head of the log, 20, not 21/);
      await expect(write(0)).rejects.toThrow(/snapshot: position/);
      await expect(store.writeSnapshot({ position: 4, stateHash: "XYZ", coreVersion: 1 }, [])).rejects.toThrow(/snapshot: stateHash/);
      await expect(store.writeSnapshot({ position: 4, stateHash: "00", coreVersion: -1 }, [])).rejects.toThrow(/snapshot: coreVersion/);
    });

    it("are not given out when a bit of them has changed, and the verify report says which and why", async () => {
      await write(8);
      await write(12);
      await store.close();
      await log.damage({ kind: "flip-snapshot", position: 12 });
      store = await log.open();
      const given: Uint8Array[] = [];
      const reading = (async () => {
        for await (const chunk of store.readSnapshot(12)) given.push(chunk);
      })();
      expect((await refused(reading, "corrupt")).facts.position).toBe(12);
      expect(given).toEqual([]);
      expect((await all(store.readSnapshot(8))).length).toBe(1);
      const report = await store.verify();
      expect(report.ok).toBe(false);
      expect(report.fault).toBeUndefined();
      expect(report.snapshots).toEqual([
        { position: 12, ok: false, reason: "its bytes do not match its digest" },
        { position: 8, ok: true },
      ]);
    });
  });
}
