import { describe, expect, it } from "vitest";
import type { CoreFlavour } from "#events/core.js";
import { Core, CoreStopped } from "#events/core.js";
import { Dice, seedOfRun } from "../simulation/dice.js";
import { readState } from "../property/core-subject.js";
import { play, rebuilt } from "./history.js";
import { mutated, noise } from "./mutate.js";
import { expectDead } from "./stopped.js";

const seed = seedOfRun();
const { moments } = play();
const images = moments.map(({ log, hash }) => ({ log, hash, image: Buffer.concat(rebuilt(log, "release").snapshot()) }));

describe.each<[CoreFlavour, number]>([
  ["release", 4000],
  ["debug", 800],
])("snapshots of bad bytes restored by the %s core", (flavour, rounds) => {
  it(`stop it, or end too early, or are as good as the true one (seed ${seed})`, () => {
    const dice = new Dice(seed);
    const seen = { stopped: 0, short: 0, same: 0 };
    for (let round = 0; round < rounds; round++) {
      const { image, hash, log } = dice.pick(images);
      const chunk = image.subarray(4);
      // The frame's length is right in most rounds, so that the core gets to see what is inside.
      const inside = dice.chance(0.05) ? noise(dice) : mutated(chunk, dice, dice.pick(images).image);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(inside.length);
      const bytes = dice.chance(0.1) ? mutated(image, dice, chunk) : Buffer.concat([length, inside]);
      const given = `seed ${seed}, round ${round}: ${Buffer.from(bytes).toString("hex")}`;
      const core = Core.create(flavour);
      try {
        core.restore([bytes]);
      } catch (error) {
        if (error instanceof CoreStopped) {
          expect([1, 2, 3, 4, 5, 6], given).toContain(error.fault);
          if (seen.stopped++ % 50 === 0) expectDead(core);
          continue;
        }
        // Cut short, which the frames or the missing last record say.
        expect(error, given).toBeInstanceOf(RangeError);
        seen.short++;
        continue;
      }
      seen.same++;
      expect(core.hash(), given).toBe(hash);
      expect(readState(core.reader()), given).toEqual(readState(rebuilt(log, flavour).reader()));
    }
    expect(Math.min(seen.stopped, seen.short), JSON.stringify(seen)).toBeGreaterThan(rounds / 100);
  });
});
