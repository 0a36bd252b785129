import { describe, expect, it } from "vitest";
import { RecordWriter } from "#events/codec/writer.js";
import type { CoreFlavour } from "#events/core.js";
import { CoreStopped } from "#events/core.js";
import { Dice, seedOfRun } from "../simulation/dice.js";
import { play, rebuilt } from "./history.js";
import { mutated, noise } from "./mutate.js";
import { expectDead, stoppedOr } from "./stopped.js";

const seed = seedOfRun();
const { moments } = play();

/** Every kind of query, of names that are there and names that are not. */
const queries: readonly Uint8Array[] = [1, 2, 3, 4, 5, 6].flatMap((kind) =>
  ["p2p", "", "nowhere"].map((name) => {
    const out = new RecordWriter();
    out.u16(kind);
    out.u64(Date.UTC(2026, 0, 1));
    if (kind === 5) out.u64(10);
    else if (kind === 6) {
      out.u64(0);
      out.u32(10);
      out.u8(255);
      out.u8(0);
      out.address16({ family: 4, value: 0 });
      out.text16(name);
      out.text16(name);
      out.text16(name);
    } else {
      out.text16(name);
      out.u32(10);
    }
    return out.written().slice();
  }),
);

describe.each<[CoreFlavour, number]>([
  ["release", 8000],
  ["debug", 1500],
])("queries of bad bytes put to the %s core", (flavour, calls) => {
  it(`are answered, or stop it, and change nothing (seed ${seed})`, () => {
    const dice = new Dice(seed);
    let moment = moments.at(-1)!;
    let core = rebuilt(moment.log, flavour);
    let stopped = 0;
    for (let call = 0; call < calls; call++) {
      const bytes = dice.chance(0.1) ? noise(dice) : mutated(dice.pick(queries), dice, dice.pick(queries));
      const given = `seed ${seed}, call ${call}: ${Buffer.from(bytes).toString("hex")}`;
      const result = stoppedOr(() => core.query(bytes));
      if (!(result instanceof CoreStopped)) {
        expect(core.hash(), given).toBe(moment.hash);
        continue;
      }
      expect(result.fault, given).toBe(6);
      if (stopped++ % 100 === 0) expectDead(core);
      moment = dice.pick(moments);
      core = rebuilt(moment.log, flavour);
    }
    expect(stopped).toBeGreaterThan(calls / 100);
    expect(stopped).toBeLessThan(calls);
  });
});
