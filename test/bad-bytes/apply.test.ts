import { describe, expect, it } from "vitest";
import { parsePrefix } from "#events/address.js";
import type { Command } from "#events/command.js";
import type { Core, CoreFlavour } from "#events/core.js";
import { CoreStopped } from "#events/core.js";
import { readState } from "../property/core-subject.js";
import { checkState } from "../property/invariant.js";
import { Dice, seedOfRun } from "../simulation/dice.js";
import { entries, play, rebuilt } from "./history.js";
import { mutated, noise } from "./mutate.js";
import { expectDead, stoppedOr } from "./stopped.js";

const seed = seedOfRun();
const { moments } = play();
const whole = moments.at(-1)!.log;

/** What a realm is asked later: everybody leaves or runs out, and newcomers get what was free. A state that has come apart does not survive it. */
function useUp(core: Core): void {
  const state = readState(core.reader());
  const later = core.lastTime + 86_400_000;
  const client = (name: string): { client: { name: string; id: string }; connection: string } => ({ client: { name, id: "0" }, connection: name });
  const commands: Command[] = [
    ...entries.filter(({ command }) => command.kind === "request" || command.kind === "close" || command.kind === "cancel").map(({ command }) => command),
    ...state.leases.map(({ lease }): Command => ({ kind: "release-lease", lease })),
    { kind: "expire", limit: 1000 },
    ...state.endpoints.flatMap(({ endpoint }) =>
      Array.from({ length: 6 }, (_, i): Command => ({ kind: "request", endpoint, ...client(`late-${i}`), reselect: false, knownOnly: false, excluded: [parsePrefix("172.16.1.0/32")!], items: [] })),
    ),
    ...state.endpoints.map(({ endpoint }): Command => ({ kind: "retire-endpoint", endpoint })),
    ...state.pools.map(({ pool }): Command => ({ kind: "retire-pool", pool })),
  ];
  for (const command of commands) {
    core.submit([{ command, envelope: { now: later, actor: "test", correlation: "" } }]);
    core.commit(1);
    checkState(readState(core.reader()));
  }
}

describe.each<[CoreFlavour, number]>([
  ["release", 4000],
  ["debug", 800],
])("events of bad bytes applied to the %s core", (flavour, rounds) => {
  it(`stop it, or are history that it goes on from soundly (seed ${seed})`, () => {
    const dice = new Dice(seed);
    // The first of each kind: one flaw must not hide the others.
    const broken = new Map<string, string>();
    let stopped = 0;
    for (let round = 0; round < rounds; round++) {
      const moment = dice.pick(moments);
      const log = moment.log;
      const core = rebuilt(log, flavour);
      const behind = core.position;
      // What came next, or something from elsewhere in the log, with changes.
      const next = dice.chance(0.6) ? (whole[log.length] ?? dice.pick(whole)) : dice.pick(whole);
      const bytes = dice.chance(0.05) ? noise(dice) : mutated(next, dice, dice.pick(whole));
      const judge = (kind: string, work: () => void): void => {
        if (broken.has(kind)) return;
        try {
          work();
        } catch (error) {
          broken.set(kind, `behind ${log.length} batches of the golden script, ${Buffer.from(bytes).toString("hex")}: ${String(error)}`);
        }
      };
      const result = stoppedOr(() => core.apply(bytes));
      if (result instanceof CoreStopped) {
        judge(`stopped with fault ${result.fault}`, () => expect([1, 2, 4, 6]).toContain(result.fault));
        judge("position of the last good event", () => expect(result.position).toBeGreaterThanOrEqual(behind));
        judge("the log of before gives the state of before", () => expect(rebuilt(log, flavour).hash()).toBe(moment.hash));
        if (stopped++ % 50 === 0) expectDead(core);
        continue;
      }
      judge("applied twice alike", () => expect(core.hash()).toBe(rebuilt([...log, bytes], flavour).hash()));
      judge("the state is whole", () => checkState(readState(core.reader())));
      judge("its snapshot is whole", () => {
        const copy = rebuilt([], flavour);
        copy.restore(core.snapshot().map((chunk) => chunk.slice()));
        expect(copy.hash()).toBe(core.hash());
      });
      judge("it goes on", () => useUp(core));
    }
    expect([...broken].map(([kind, what]) => `${kind}: ${what}`)).toEqual([]);
    expect(stopped).toBeGreaterThan(rounds / 4);
    expect(stopped).toBeLessThan(rounds);
  });
});
