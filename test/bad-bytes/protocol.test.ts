import { describe, expect, it } from "vitest";
import type { CoreFlavour } from "#events/core.js";
import { Core, CoreStopped } from "#events/core.js";
import { entries, play, rebuilt } from "./history.js";
import { expectDead, stoppedOr } from "./stopped.js";

const { moments } = play();
const whole = moments.at(-1)!;
const half = moments[20]!;

/** Calls in an order no host may use. Going on would let undone changes into the log, or logged ones be undone. */
const breaches: readonly (readonly [string, (core: Core) => unknown])[] = [
  ["commit of a command that was not submitted", (core) => core.commit(1)],
  ["commit of more commands than were submitted", (core) => (core.submit(entries.slice(20, 22)), core.commit(3))],
  ["commit behind abort", (core) => (core.submit(entries.slice(20, 22)), core.abort(), core.commit(1))],
  ["events applied while commands are tentative", (core) => (core.submit(entries.slice(20, 22)), core.apply(whole.log[half.log.length]!))],
  ["a snapshot while commands are tentative", (core) => (core.submit(entries.slice(20, 22)), core.snapshot())],
];

describe.each<CoreFlavour>(["release", "debug"])("the %s core stops at", (flavour) => {
  it.each(breaches)("%s", (_, breach) => {
    const core = rebuilt(half.log, flavour);
    const stopped = stoppedOr(() => breach(core));
    expect(stopped).toBeInstanceOf(CoreStopped);
    expect((stopped as CoreStopped).fault).toBe(5);
    expectDead(core);
    expect(rebuilt(half.log, flavour).hash()).toBe(half.hash);
  });

  it("a snapshot put on top of a state", () => {
    const core = rebuilt(half.log, flavour);
    const chunk = core.snapshot()[0]!.slice();
    expect(stoppedOr(() => core.restoreChunk(chunk))).toBeInstanceOf(CoreStopped);
    expectDead(core);
  });

  it("no bytes at all neither when new nor later", () => {
    for (const core of [Core.create(flavour), rebuilt(half.log, flavour)]) {
      const hash = core.hash();
      expect(core.apply(new Uint8Array())).toBe(0);
      expect(core.submitBytes(new Uint8Array())).toMatchObject({ count: 0, commands: 0 });
      expect(core.hash()).toBe(hash);
    }
  });
});
