import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { all, body, hex } from "../records.js";
import { refused, type Damage, type LogHarness, type MakeHarness } from "./harness.js";

const BATCHES = 12;
const COUNT = 5;

export function damageContract(make: MakeHarness): void {
  describe("damage", () => {
    let log: LogHarness;
    beforeEach(async () => {
      log = await make();
      const store = await log.open();
      for (let batch = 0; batch < BATCHES; batch++) await store.append(batch * COUNT, body(batch * COUNT + 1, COUNT), COUNT, 1_000 + batch);
      await store.close();
    });
    afterEach(() => log.dispose());

    it("finds a sound log sound, and says how far it has come", async () => {
      const store = await log.open();
      const heard: number[] = [];
      const report = await store.verify((position) => heard.push(position));
      expect(report).toMatchObject({ ok: true, batches: BATCHES, events: BATCHES * COUNT, snapshots: [] });
      expect([report.head.position, hex(report.head.digest)]).toEqual([BATCHES * COUNT, hex(store.head().digest)]);
      expect(report.fault).toBeUndefined();
      expect(heard.at(-1)).toBe(BATCHES * COUNT);
      await store.close();
    });

    const seen: [what: string, how: Damage, position: number][] = [
      ["a changed bit in a body", { kind: "flip-body", first: 31 }, 31],
      ["a changed bit in the first body", { kind: "flip-body", first: 1 }, 1],
      ["a batch that is gone", { kind: "remove-batch", first: 31 }, 31],
      ["a first batch that is gone", { kind: "remove-batch", first: 1 }, 1],
      // The row itself agrees with its CRC; it is the next one that does not follow it.
      ["a changed digest", { kind: "flip-digest", first: 26 }, 31],
    ];
    it.each(seen)("reports %s by its position, and serves only what comes before", async (_, how, position) => {
      await log.damage(how);
      const store = await log.open();
      const firsts: number[] = [];
      const reading = (async () => {
        for await (const batch of store.read(1)) firsts.push(batch.first);
      })();
      const error = await refused(reading, "corrupt");
      expect([26, position]).toContain(error.facts.position);
      expect(firsts).toEqual(Array.from({ length: BATCHES }, (_, index) => index * COUNT + 1).filter((first) => first < error.facts.position!));
      const report = await store.verify();
      expect(report.ok).toBe(false);
      expect(report.fault!.position).toBeLessThanOrEqual(position);
      expect(report.head.position).toBe(report.fault!.position - 1);
      await store.close();
    });

    it("reports a batch that is gone to a reader who begins behind it", async () => {
      await log.damage({ kind: "remove-batch", first: 31 });
      const store = await log.open();
      const error = await refused((async () => all(store.read(36)))(), "corrupt");
      expect(error.facts.position).toBe(31);
      await store.close();
    });

    it("reports a body that was replaced with care, when it is verified", async () => {
      await log.damage({ kind: "forge-body", first: 31, body: body(31, COUNT, 64, 99) });
      const store = await log.open();
      const report = await store.verify();
      expect(report.ok).toBe(false);
      expect(report.fault).toEqual({ position: 31, reason: "its bytes do not match its digest" });
      expect([report.batches, report.events]).toEqual([6, 30]);
      await store.close();
    });
  });
}
