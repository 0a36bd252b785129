import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { compare, readBaseline, type Result } from "../../bench/harness/baseline.js";
import { permutation, seeded } from "../../bench/harness/random.js";
import { convert, meets, timesBetter, type Row } from "../../bench/harness/row.js";
import { percentile, summarise } from "../../bench/harness/sample.js";
import { number, table } from "../../bench/harness/table.js";

const figure = (median: number) => ({ median, min: median, max: median, repetitions: 1 });
const grant: Row = { name: "grant", unit: "us", figure: figure(2), peer: { go: "nsm.pull" }, budget: { limit: 5 } };
const goRow = { name: "nsm.pull", unit: "ns", median: 900_000, min: 1, max: 2, repetitions: 3 } as const;
const go = { ran: true, go: "go1", modules: {}, rows: [goRow], skipped: [] } as const;

describe("a figure", () => {
  it("is the median with the smallest and largest of its repetitions", () => {
    expect(summarise([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5, repetitions: 3 });
    expect(summarise([4, 2]).median).toBe(3);
  });

  it("is not made out of nothing", () => {
    expect(() => summarise([])).toThrow("no samples");
    expect(() => percentile([], 0.5)).toThrow("no samples");
  });

  it("has percentiles by rank", () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile([7], 0.99)).toBe(7);
  });

  it("is compared in one unit, and only where both measure time", () => {
    expect(convert(900_000, "ns", "us")).toBe(900);
    expect(convert(1, "s", "ms")).toBe(1_000);
    expect(convert(1, "bytes", "ms")).toBeUndefined();
  });

  it("is better when a time is shorter and when a rate is higher", () => {
    expect(timesBetter("us", 2, 10)).toBe(5);
    expect(timesBetter("grants/s", 10, 2)).toBe(5);
  });
});

describe("a budget", () => {
  it("is a limit from above for times and from below for rates", () => {
    expect(meets(grant, undefined)).toBe(true);
    expect(meets({ ...grant, figure: figure(6) }, undefined)).toBe(false);
    expect(meets({ ...grant, unit: "grants/s", figure: figure(6) }, undefined)).toBe(true);
    expect(meets({ ...grant, unit: "grants/s", figure: figure(4) }, undefined)).toBe(false);
  });

  it("that is a share of the peer is undecided without the peer", () => {
    const row: Row = { name: "http", unit: "requests/s", figure: figure(60), budget: { ofPeer: 0.6 } };
    expect(meets(row, undefined)).toBeUndefined();
    expect(meets(row, { name: "empty", value: 100 })).toBe(true);
    expect(meets(row, { name: "empty", value: 101 })).toBe(false);
  });
});

describe("the table", () => {
  it("shows the ratio to the peer in the row's unit and whether the budget holds", () => {
    const text = table([grant], go, new Map());
    expect(text).toContain("| grant | 2.00 |");
    expect(text).toContain("| nsm.pull | 900 ");
    expect(text).toContain("450x");
    expect(text).toContain("<= 5.00");
    expect(text).toContain("yes");
  });

  it("prints a note once, with every row it is about", () => {
    const text = table([{ ...grant, note: "on disk" }, { ...grant, name: "heal", note: "on disk" }], go, new Map());
    expect(text).toContain("- grant, heal: on disk");
  });

  it("says why a peer is missing", () => {
    expect(table([grant], { ran: false, reason: "go is not installed" }, new Map())).toContain("go is not installed");
    expect(table([grant], undefined, new Map())).toContain("not run");
    expect(table([{ ...grant, peer: { go: "nsm.other" } }], go, new Map())).toContain("not measured");
  });

  it("writes numbers with the digits that matter", () => {
    expect([0, 0.01234, 0.5, 1.234, 12.34, 1234567].map(number)).toEqual(["0", "0.0123", "0.500", "1.23", "12.3", "1 234 567"]);
  });
});

describe("a baseline", () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  it("calls a row worse only when the ranges do not touch", () => {
    const before = { rows: [{ ...grant, figure: { median: 2, min: 1.9, max: 2.6, repetitions: 3 } }] } as unknown as Result;
    const now = (median: number, min: number): Row => ({ ...grant, figure: { median, min, max: median, repetitions: 3 } });
    expect(compare([now(3, 2.5)], before).get("grant")?.worse).toBe(false);
    expect(compare([now(3, 2.7)], before).get("grant")).toEqual({ percent: 50, worse: true });
    expect(compare([now(2.2, 2.1)], before).get("grant")?.worse).toBe(false);
  });

  it("is no error when there is none, and one when the file is something else", async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-baseline-"));
    folders.push(folder);
    expect(await readBaseline(join(folder, "none.json"))).toBeUndefined();
    await writeFile(join(folder, "other.json"), "{}");
    await expect(readBaseline(join(folder, "other.json"))).rejects.toThrow("not a result of the benchmarks");
  });
});

describe("seeded order", () => {
  it("is the same for one seed and holds every client once", () => {
    const order = permutation(1_000, seeded(7));
    expect(order).toEqual(permutation(1_000, seeded(7)));
    expect(order).not.toEqual(permutation(1_000, seeded(8)));
    expect(new Set(order).size).toBe(1_000);
  });
});
