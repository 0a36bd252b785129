import { describe, expect, it } from "vitest";
import type { CommandEntry, CoreFlavour } from "#events/core.js";
import { entries, play, rebuilt } from "./history.js";

const { moments } = play();

/** Enough commands in one batch that the journal's first tables grow, and every kind of command with every outcome. */
const batches: readonly (readonly [string, readonly CommandEntry[]])[] = [
  ["the golden script", entries],
  ["the golden script backwards", [...entries].reverse()],
  ["the golden script a hundred times", Array.from({ length: 100 }, () => entries).flat()],
  ...[...new Set(entries.map(({ command }) => command.kind))].map(
    (kind) => [`every ${kind} of the golden script`, entries.filter(({ command }) => command.kind === kind)] as const,
  ),
];

describe.each<CoreFlavour>(["release", "debug"])("abort in the %s core", (flavour) => {
  it.each(batches)("leaves no trace of %s, wherever in a realm's life it comes", (_, batch) => {
    for (const { log, hash } of moments) {
      const core = rebuilt(log, flavour);
      const image = Buffer.concat(core.snapshot());
      core.submit(batch);
      core.abort();
      expect(core.hash()).toBe(hash);
      // The hash leaves free space out; the snapshot has it.
      expect(Buffer.concat(core.snapshot()).equals(image)).toBe(true);
    }
  });

  it("leaves no trace of any first n commands of a batch, n by n", () => {
    for (const [from, { log, hash }] of moments.entries()) {
      const core = rebuilt(log, flavour);
      const rest = entries.slice(from);
      for (let n = 1; n <= rest.length; n++) {
        core.submit(rest.slice(0, n));
        core.abort();
        expect(core.hash(), `${n} commands behind command ${from}`).toBe(hash);
      }
      expect(core.abort(), "an abort of nothing").toBeUndefined();
      expect(core.hash()).toBe(hash);
    }
  });

  it("keeps the first n commands that were made durable, and undoes the rest, n by n", () => {
    for (let n = 0; n <= entries.length; n++) {
      const core = rebuilt([], flavour);
      const { events } = core.submit(entries);
      core.commit(n);
      core.abort();
      expect(core.hash(), `${n} commands`).toBe(moments[n]!.hash);
      // What was undone is decided again as it was: nothing of it stayed behind.
      const again = core.submit(entries.slice(n));
      expect(Buffer.from(events.subarray(events.length - again.events.length)).equals(again.events), `behind ${n} commands`).toBe(true);
      core.commit(entries.length - n);
      expect(core.hash()).toBe(moments.at(-1)!.hash);
    }
  });

  it("can be had at once after a commit in parts", () => {
    const core = rebuilt([], flavour);
    core.submit(entries);
    for (let n = 0; n < entries.length; n++) {
      core.commit(1);
      if (n % 7 !== 3) continue;
      core.abort();
      expect(core.hash()).toBe(moments[n + 1]!.hash);
      core.submit(entries.slice(n + 1));
    }
    expect(core.hash()).toBe(moments.at(-1)!.hash);
  });
});
