import { afterAll, beforeAll, expect, it } from "vitest";
import { EndlessChild } from "./faults/endless-child.js";
import { judge } from "./faults/script.mjs";
import { scratch, type Scratch } from "./scratch.js";

const KILLS = 50;

let folder: Scratch;
beforeAll(async () => {
  folder = await scratch();
});
afterAll(() => folder.remove());

it(`loses nothing that was acknowledged in ${KILLS} kill -9, and the lock goes with the process`, { timeout: 240_000 }, async () => {
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // A new log now and then, and every moment from before it is opened on.
    const dataDir = `${folder.path}/${Math.floor(kill / 10)}`;
    if (kill % 10 === 0) acknowledged = 0;
    const child = new EndlessChild(dataDir, { checkpointEveryMs: 1, appends: 0 });
    await child.lines(1 + ((kill * 7) % 60));
    await child.kill();
    acknowledged = Math.max(acknowledged, child.position);
    const wrong = await judge(dataDir, acknowledged);
    expect({ kill, wrong }).toEqual({ kill, wrong: [] });
  }
});
