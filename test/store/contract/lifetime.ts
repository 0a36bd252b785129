import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { all, body, hex } from "../records.js";
import { refused, type LogHarness, type MakeHarness } from "./harness.js";

export function lifetimeContract(make: MakeHarness): void {
  describe("open and close", () => {
    let log: LogHarness;
    beforeEach(async () => {
      log = await make();
    });
    afterEach(() => log.dispose());

    it("keeps log id, head and batches, and counts its openings", async () => {
      const before = await log.open();
      await before.append(0, body(1, 3), 3, 10);
      await before.close();
      const after = await log.open();
      expect([after.logId, after.epoch, after.head().position, hex(after.head().digest)]).toEqual([
        before.logId, 2, 3, hex(before.head().digest),
      ]);
      await after.append(3, body(4, 1), 1, 5);
      const read = await all(after.read(1));
      expect(read.map(({ first, epoch, at }) => [first, epoch, at])).toEqual([[1, 1, 10], [4, 2, 10]]);
      expect(hex(read[1]!.previous)).toBe(hex(before.head().digest));
      await after.close();
    });

    it("is open for one writer at a time", async () => {
      const first = await log.open();
      const error = await refused(log.open(), "locked");
      expect(error.facts.path).toBeTypeOf("string");
      expect(error.message).toContain(error.facts.path);
      await first.append(0, body(1, 1), 1, 1);
      await first.close();
      const second = await log.open();
      expect(second.head().position).toBe(1);
      expect(second.epoch).toBe(2);
      await second.close();
    });

    it("answers appends that were called before it was closed, and refuses those called after", async () => {
      const store = await log.open();
      const before = Array.from({ length: 20 }, (_, position) => store.append(position, body(position + 1, 1), 1, 1));
      const closing = store.close();
      const after = store.append(20, body(21, 1), 1, 1);
      await refused(after, "closed");
      expect((await Promise.all(before)).map(({ head }) => head.position)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      await closing;
      await store.close();
      const again = await log.open();
      expect(again.head().position).toBe(20);
      await again.close();
    });

    it("refuses everything once closed", async () => {
      const store = await log.open();
      await store.append(0, body(1, 1), 1, 1);
      await store.close();
      await refused(store.append(1, body(2, 1), 1, 1), "closed");
      await refused((async () => all(store.read(1)))(), "closed");
      await refused((async () => all(store.follow(1, new AbortController().signal)))(), "closed");
      await refused(store.positionAt(1), "closed");
      await refused(store.snapshots(), "closed");
      await refused((async () => all(store.readSnapshot(1)))(), "closed");
      await refused(store.writeSnapshot({ position: 1, stateHash: "00", coreVersion: 1 }, []), "closed");
      await refused(store.verify(), "closed");
    });

    it("says how much room there is", async () => {
      const store = await log.open();
      expect(store.room().state).toBe("ok");
      expect(store.room().freeBytes).toBeGreaterThan(0);
      await store.close();
    });
  });
}
