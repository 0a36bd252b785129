/** A disk gives back other bits than it took. SQLite pages carry no checksum, so it is the log that must notice. */
import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openReadOnly } from "#events/log-view.js";
import { openSqliteStore } from "#events/sqlite-store.js";
import { StoreError, type Batch } from "#events/store.js";
import { all, body, hex } from "./records.js";
import { scratch, type Scratch } from "./scratch.js";
import { logFolder, REALM, segmentPath } from "./segment-file.js";

const BATCHES = 150;
let state = 5;
const random = (below: number): number => (state = (Math.imul(state, 48_271) >>> 0) % 0x7fff_ffff) % below;

/** What a batch says, in one line. */
const said = ({ first, count, at, epoch, digest, body: bytes }: Batch): string => [first, count, at, epoch, hex(digest), hex(bytes)].join(" ");

describe("a flipped bit", { timeout: 240_000 }, () => {
  let folder: Scratch;
  let path: string;
  let sound: Buffer;
  let truth: readonly string[];
  let logId: string;
  beforeAll(async () => {
    folder = await scratch();
    const store = await openSqliteStore({ dataDir: folder.path, realm: REALM, ballastBytes: 0 });
    let position = 0;
    for (let batch = 0; batch < BATCHES; batch++) {
      // Small bodies, so that rows share pages and the flips hit keys and cells too; and some that overflow.
      const [count, size] = batch % 10 === 0 ? [3, 3_000] : [2, 48];
      await store.append(position, body(position + 1, count, size, batch), count, 1_000 + batch);
      position += count;
    }
    truth = (await all(store.read(1))).map(said);
    logId = store.logId;
    await store.close();
    path = segmentPath(folder.path);
    sound = await readFile(path);
  });
  afterAll(() => folder.remove());

  interface Verdict {
    readonly reported: boolean;
    readonly wrong: string[];
  }

  /** Reads and verifies the log with one bit changed: every batch served must be true, and any that is missing reported. */
  async function judged(offset: number, bit: number): Promise<Verdict> {
    const rotten = Buffer.from(sound);
    rotten[offset]! ^= 1 << bit;
    await writeFile(path, rotten);
    const wrong: string[] = [];
    let reported = false;
    const report = (error: unknown): void => {
      if (!(error instanceof StoreError && error.code === "corrupt" && typeof error.facts.position === "number")) throw error;
      reported = true;
    };
    try {
      const view = await openReadOnly(logFolder(folder.path));
      try {
        if (view.logId !== logId) wrong.push(`log id ${view.logId}`);
        const served: string[] = [];
        await (async () => {
          for await (const batch of view.read(1)) served.push(said(batch));
        })().catch(report);
        served.forEach((line, index) => line !== truth[index] && wrong.push(`batch ${index} is ${line.slice(0, 80)}`));
        if (!reported && served.length !== truth.length) wrong.push(`only ${served.length} batches, and no word of it`);
        const time = 1_000 + random(BATCHES);
        const found = await view.positionAt(time).catch((error: unknown) => (report(error), undefined));
        const expected = truth[time - 1_000]!.split(" ").map(Number);
        if (found !== undefined && found !== expected[0]! + expected[1]! - 1) wrong.push(`position ${found} at ${time}`);
        const verified = await view.verify();
        if (!verified.ok && verified.fault?.position === undefined) wrong.push("a fault without a position");
        if (verified.ok !== !reported) wrong.push(`reading ${reported ? "found" : "did not find"} it, verifying said ${verified.fault?.reason ?? "nothing"}`);
      } finally {
        await view.close();
      }
    } catch (error) {
      report(error);
    }
    return { reported, wrong };
  }

  it("anywhere in the file is reported with a position, or has changed nothing that is served", async () => {
    let reported = 0;
    for (let flip = 0; flip < 120; flip++) {
      const offset = random(sound.byteLength);
      const bit = random(8);
      const verdict = await judged(offset, bit);
      expect({ offset, bit, wrong: verdict.wrong }).toEqual({ offset, bit, wrong: [] });
      if (verdict.reported) reported++;
    }
    // The rest hit bytes that hold nothing.
    expect(reported).toBeGreaterThan(60);
  });

  it("in the file's own structure is reported with a position, or has changed nothing that is served", async () => {
    for (let flip = 0; flip < 120; flip++) {
      // File header, schema, the roots, and the head of each page, where its cells are listed.
      const page = flip % 3 === 0 ? 0 : random(sound.byteLength / 4_096);
      const offset = page * 4_096 + random(flip % 3 === 0 ? 2_048 : 64);
      const bit = random(8);
      const verdict = await judged(offset, bit);
      expect({ offset, bit, wrong: verdict.wrong }).toEqual({ offset, bit, wrong: [] });
    }
  });

  it("does not let a log go on from a newest batch that is damaged", async () => {
    const rotten = Buffer.from(sound);
    const newest = Buffer.from(body(truthPosition(truth.at(-1)!), 2, 48, BATCHES - 1));
    const at = rotten.indexOf(newest);
    expect(at).toBeGreaterThan(0);
    rotten[at + 30]! ^= 4;
    await writeFile(path, rotten);
    await expect(openSqliteStore({ dataDir: folder.path, realm: REALM, ballastBytes: 0 })).rejects.toMatchObject({
      code: "corrupt",
      facts: { position: truthPosition(truth.at(-1)!) },
    });
  });
});

function truthPosition(line: string): number {
  return Number(line.split(" ")[0]);
}
