import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Disagreement } from "./compare.js";
import { BUGS, mutant } from "./mutant.js";
import { playScript } from "./play.js";
import { scripts } from "./script.js";
import { patience } from "./settings.js";
import { ModelSubject } from "./subject.js";

/** Fixed, so that a bug that needs luck to be seen is seen every time. */
const SEED = 1358;
const RUNS = 200;

describe("the property catches a planted bug", () => {
  it.each(Object.keys(BUGS))(
    "that %s",
    async (name) => {
      const details = await fc.check(
        fc.asyncProperty(scripts(30), (script) => playScript(script, () => Promise.resolve(mutant(new ModelSubject(), BUGS[name]!)))),
        { numRuns: RUNS, seed: SEED, endOnFailure: true },
      );
      expect(details.failed, `not caught in ${RUNS} scripts`).toBe(true);
      expect(details.errorInstance).toBeInstanceOf(Disagreement);
    },
    patience(RUNS),
  );
});
