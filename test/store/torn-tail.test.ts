/**
 * A crash leaves the end of the WAL in any state: cut off, zeros, old sectors, noise. Commits before that are there; of the
 * rest whole commits may be, and nothing else.
 */
import { cp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EndlessChild, type Acknowledged } from "./faults/endless-child.js";
import { judge } from "./faults/script.mjs";
import { scratch, type Scratch } from "./scratch.js";
import { segmentPath } from "./segment-file.js";

let state = 11;
const random = (below: number): number => (state = (Math.imul(state, 48_271) >>> 0) % 0x7fff_ffff) % below;
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));

describe("a WAL whose end is torn", { timeout: 240_000 }, () => {
  let folder: Scratch;
  let origin: string;
  let wal: Buffer;
  let acknowledged: readonly Acknowledged[];
  beforeAll(async () => {
    folder = await scratch();
    origin = join(folder.path, "origin");
    // Without checkpoints everything stays in the WAL; the child ends by kill -9.
    const child = new EndlessChild(origin, { checkpointEveryMs: 1e9, appends: 60 });
    await child.ended();
    acknowledged = child.acknowledged;
    wal = await readFile(`${segmentPath(origin)}-wal`);
    expect(acknowledged.length).toBe(60);
    expect(wal.byteLength).toBeGreaterThan(100_000);
  });
  afterAll(() => folder.remove());

  /** Judges a copy of the log whose WAL is this. */
  async function judged(bytes: Uint8Array, needed: number): Promise<string[]> {
    const copy = join(folder.path, "copy");
    await rm(copy, { recursive: true, force: true });
    await cp(origin, copy, { recursive: true });
    await rm(`${segmentPath(copy)}-shm`, { force: true });
    // Snapshots past the end of what is left are rightly reported; they are not what is looked at here.
    await rm(join(copy, "r", "snapshots"), { recursive: true, force: true });
    await writeFile(`${segmentPath(copy)}-wal`, bytes);
    return judge(copy, needed);
  }

  const durableBefore = (offset: number): number =>
    Math.max(0, ...acknowledged.filter(({ walBytes }) => walBytes <= offset).map(({ position }) => position));

  const tears: [how: string, tear: (at: number) => Buffer][] = [
    ["cut off", (at) => wal.subarray(0, at)],
    ["zeros", (at) => Buffer.concat([wal.subarray(0, at), Buffer.alloc(wal.byteLength - at)])],
    ["noise", (at) => Buffer.concat([wal.subarray(0, at), noise(Math.min(9_000, wal.byteLength - at))])],
    // A sector of before where a new one should be.
    ["old sectors", (at) => Buffer.concat([wal.subarray(0, at), wal.subarray(Math.max(0, at - 12_360), Math.max(0, at - 12_360) + 8_192)])],
  ];
  it.each(tears)("by %s keeps every commit before the tear", async (_, tear) => {
    for (let round = 0; round < 10; round++) {
      const at = round === 0 ? 0 : random(wal.byteLength);
      expect({ at, wrong: await judged(tear(at), durableBefore(at)) }).toEqual({ at, wrong: [] });
    }
  });

  it("by bytes behind its end keeps everything", async () => {
    const all = durableBefore(wal.byteLength);
    expect(all).toBe(acknowledged.at(-1)!.position);
    expect(await judged(wal, all)).toEqual([]);
    expect(await judged(Buffer.concat([wal, noise(5_000)]), all)).toEqual([]);
    expect(await judged(Buffer.concat([wal, wal.subarray(32, 32 + 4_120)]), all)).toEqual([]);
  });

  it("does not hide that the file itself was cut off", async () => {
    const copy = join(folder.path, "short");
    await cp(origin, copy, { recursive: true });
    expect(await judge(copy, acknowledged.at(-1)!.position)).toEqual([]);
    await truncate(segmentPath(copy), 16_384);
    await expect(judge(copy, 0)).rejects.toMatchObject({ code: "corrupt", facts: { position: expect.any(Number) as unknown } });
    await truncate(segmentPath(copy), 0);
    await expect(judge(copy, 0)).rejects.toMatchObject({ code: "corrupt", facts: { position: 1 } });
  });
});
