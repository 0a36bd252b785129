import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Disagreement } from "./compare.js";
import { openCore } from "./core-subject.js";
import { BUGS, mutant } from "./mutant.js";
import { type Tally, playScript } from "./play.js";
import { scripts } from "./script.js";
import { patience, runs } from "./settings.js";

const RUNS = 150;
const DEBUG_RUNS = 20;
const SEED = 1358;

describe("core and model agree on every answer, event and state, on undoing and on replay", () => {
  it(
    "the release build",
    async () => {
      const tally: Tally = new Map();
      await fc.assert(fc.asyncProperty(scripts(30), (script) => playScript(script, () => openCore("release"), tally)), runs(RUNS));
      for (const how of ["granted", "regranted", "claimed", "renewed", "restored", "moved"]) {
        expect([...tally.keys()].some((key) => key.startsWith(`lease ${how}`)), `no script came to a lease ${how}`).toBe(true);
      }
    },
    patience(runs(RUNS).numRuns ?? 0),
  );

  it(
    "the debug build, whose assertions are on",
    () => fc.assert(fc.asyncProperty(scripts(30), (script) => playScript(script, () => openCore("debug"))), runs(DEBUG_RUNS)),
    patience(runs(DEBUG_RUNS).numRuns ?? 0),
  );
});

describe("the property catches a bug planted in the core", () => {
  it.each(Object.keys(BUGS))(
    "that %s",
    async (name) => {
      const property = fc.asyncProperty(scripts(30), async (script) => playScript(script, async () => mutant(await openCore(), BUGS[name]!)));
      const details = await fc.check(property, { numRuns: 200, seed: SEED, endOnFailure: true });
      expect(details.failed).toBe(true);
      expect(details.errorInstance).toBeInstanceOf(Disagreement);
    },
    patience(200),
  );
});
