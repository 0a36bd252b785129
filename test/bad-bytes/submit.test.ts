import { describe, expect, it } from "vitest";
import { readAnswer } from "#events/codec/answer.js";
import { decodeEvents } from "#events/codec.js";
import { RecordReader } from "#events/codec/reader.js";
import type { CoreFlavour } from "#events/core.js";
import { CoreStopped } from "#events/core.js";
import { readState } from "../property/core-subject.js";
import { checkState } from "../property/invariant.js";
import { Dice, seedOfRun } from "../simulation/dice.js";
import { play, rebuilt } from "./history.js";
import { mutated, noise } from "./mutate.js";
import { expectDead, stoppedOr } from "./stopped.js";

const seed = seedOfRun();
const { moments, commands } = play();
/** A core lives until it stops, or until it has been given this many. */
const callsPerCore = 40;

/** The host gave bytes that are no record: the only reason that bad commands may stop a core for. */
const badInput = 6;

describe.each<[CoreFlavour, number]>([
  ["release", 250],
  ["debug", 60],
])("commands of bad bytes given to the %s core", (flavour, cores) => {
  it(`are refused, or stop it, or are answered as what they say (seed ${seed})`, () => {
    const dice = new Dice(seed);
    const seen = { stopped: 0, refused: 0, done: 0 };
    for (let round = 0; round < cores; round++) {
      const log = [...dice.pick(moments).log];
      let core = rebuilt(log, flavour);
      for (let call = 0; call < callsPerCore; call++) {
        const before = core.hash();
        const bytes = dice.chance(0.1) ? noise(dice) : mutated(dice.chance(0.7) ? dice.pick(commands) : Buffer.concat([dice.pick(commands), dice.pick(commands)]), dice, dice.pick(commands));
        const given = `seed ${seed}, core ${round}, call ${call}: ${Buffer.from(bytes).toString("hex")}`;
        const result = stoppedOr(() => core.submitBytes(bytes));
        if (result instanceof CoreStopped) {
          expect(result.fault, given).toBe(badInput);
          seen.stopped++;
          expectDead(core);
          core = rebuilt(log, flavour);
          expect(core.hash(), given).toBe(before);
          continue;
        }
        const answers = new RecordReader();
        answers.open(result.answers);
        let read = 0;
        for (; answers.left > 0; read++) seen[readAnswer(answers).ok ? "done" : "refused"]++;
        expect(read, given).toBe(result.commands);
        expect(decodeEvents(result.events).length, given).toBe(result.count);
        if (dice.chance(0.3)) {
          core.abort();
          expect(core.hash(), given).toBe(before);
          continue;
        }
        core.commit(result.commands);
        if (result.count > 0) {
          log.push(result.events);
          const replayed = stoppedOr(() => rebuilt(log, flavour).hash());
          expect(replayed, given).toBe(core.hash());
        }
      }
      checkState(readState(core.reader()));
    }
    expect(Math.min(seen.stopped, seen.refused, seen.done)).toBeGreaterThan(cores);
  });
});
