/**
 * Cuts the power of a disk: the writer is stopped in its tracks, the medium is copied as it is, and the copy is mounted.
 * What the kernel had not written yet is not in the copy.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EndlessChild } from "./faults/endless-child.js";
import { canMount, LoopDisk } from "./faults/loop-disk.js";
import { judge } from "./faults/script.mjs";
import { scratch, type Scratch } from "./scratch.js";

const CUTS = 20;

// Needs root and loop devices; CI=true does not let it pass without.
describe.skipIf(!canMount)("power cuts", { timeout: 240_000 }, () => {
  let folder: Scratch;
  let disk: LoopDisk;
  beforeAll(async () => {
    folder = await scratch();
    disk = await LoopDisk.make(folder.path, "disk", 32 * 1024 * 1024);
  });
  afterAll(async () => {
    await disk.unmount();
    await folder.remove();
  });

  it(`lose nothing that was acknowledged, ${CUTS} times`, async () => {
    const child = new EndlessChild(join(disk.path, "data"), { checkpointEveryMs: 5, appends: 0 });
    try {
      for (let cut = 0; cut < CUTS; cut++) {
        // From the first answers on, then at any moment.
        await child.lines(2 + cut * 35 + ((cut * 13) % 30));
        child.signal("SIGSTOP");
        // What was acknowledged by now is the least that must be there; answers still in the pipe only make it more.
        const acknowledged = child.position;
        await disk.copyMedium(join(folder.path, "copy.img"));
        const copy = await LoopDisk.mount(folder.path, "copy");
        try {
          const wrong = await judge(join(copy.path, "data"), acknowledged);
          expect({ cut, acknowledged, wrong }).toEqual({ cut, acknowledged, wrong: [] });
        } finally {
          await copy.unmount();
        }
        child.signal("SIGCONT");
      }
      expect(child.position).toBeGreaterThan(CUTS);
    } finally {
      child.signal("SIGCONT");
      await child.kill();
    }
  });
});
