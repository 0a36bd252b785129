import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Tally, playScript } from "./play.js";
import { scripts } from "./script.js";
import { patience, runs } from "./settings.js";
import { ModelSubject } from "./subject.js";

describe("the model by itself", () => {
  const settings = runs<[never]>(60);

  it(
    "keeps every address in one lease and replays to the state it had",
    async () => {
      const tally: Tally = new Map();
      await fc.assert(
        fc.asyncProperty(scripts(30), (script) => playScript(script, () => Promise.resolve(new ModelSubject()), tally)),
        runs(60),
      );
      if (process.env["HOLDFAST_TALLY"] !== undefined) console.log([...tally].sort().map(([key, count]) => `${count}\t${key}`).join("\n"));
      expect(tally.size).toBeGreaterThan(0);
    },
    patience(settings.numRuns ?? 0),
  );
});
