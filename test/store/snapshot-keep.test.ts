import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NEWEST_KEPT, OLDER_KEPT, snapshotsToKeep } from "#events/snapshot-keep.js";

const snapshots = (positions: number[], bytes = 1) => positions.map((position) => ({ position, bytes }));
const positions = (kept: { position: number }[]) => kept.map(({ position }) => position);

/** As a log that goes on writes them: each is added and what is not needed is forgotten. */
function written(count: number, every: number, bytes: number, logBytesPerEvent: number): number[] {
  let there: { position: number; bytes: number }[] = [];
  for (let i = 1; i <= count; i++) there = snapshotsToKeep([...there, { position: i * every, bytes }], i * every * logBytesPerEvent);
  return positions(there);
}

describe("snapshots that stay", () => {
  it("are all of them while they are few and small", () => {
    expect(positions(snapshotsToKeep(snapshots([10, 30, 20]), 100))).toEqual([30, 20, 10]);
    expect(snapshotsToKeep([], 0)).toEqual([]);
  });

  it("are at least the newest two, however large", () => {
    expect(positions(snapshotsToKeep(snapshots([10, 20, 30, 40], 1_000), 10))).toEqual([40, 30]);
    expect(positions(snapshotsToKeep(snapshots([10], 1_000), 0))).toEqual([10]);
  });

  it("lose the older one without which the gap is smallest", () => {
    expect(positions(snapshotsToKeep(snapshots([100, 200, 210, 300, 390, 400]), 3))).toEqual([400, 390, 300, 200, 100]);
    expect(positions(snapshotsToKeep(snapshots([100, 200, 210, 300, 390, 400]), 2))).toEqual([400, 390, 200, 100]);
  });

  it("stay spread over a log that grows: no way between two is longer than a few shares of the log", () => {
    const kept = written(1_000, 100_000, 10, 1_000);
    expect(kept.length).toBe(NEWEST_KEPT + OLDER_KEPT);
    const gaps = kept.map((position, index) => position - (kept[index + 1] ?? 0));
    expect(Math.max(...gaps) / (100_000_000 / OLDER_KEPT)).toBeLessThanOrEqual(2.5);
  });

  it("never take more bytes than the log, the newest two aside", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(10_000), { maxLength: 80 }), fc.nat(1_000), fc.nat(40_000), (at, bytes, logBytes) => {
        const good = snapshots(at, bytes);
        const kept = snapshotsToKeep(good, logBytes);
        const newestFirst = [...at].sort((a, b) => b - a);
        expect(positions(kept).slice(0, NEWEST_KEPT)).toEqual(newestFirst.slice(0, NEWEST_KEPT));
        expect(kept.slice(NEWEST_KEPT).reduce((sum, snapshot) => sum + snapshot.bytes, 0)).toBeLessThanOrEqual(logBytes);
        expect(kept.length).toBeLessThanOrEqual(NEWEST_KEPT + OLDER_KEPT);
      }),
    );
  });
});
