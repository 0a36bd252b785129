import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RecordWriter, decodeEvents, encodeEvents, eventTypes, writeCommand } from "#events/codec.js";
import type { Refusal } from "#events/command.js";
import { Core } from "#events/core.js";
import type { CoreFlavour } from "#events/core.js";
import type { EventType } from "#events/event.js";
import { script } from "./script.js";

/**
 * The golden vectors: commands, what the core answered, the events in both spellings and the state's hash, byte
 * for byte. They change only with a version of the form they show: `HOLDFAST_GOLDEN=write npx vitest run test/golden`.
 */
interface Vector {
  readonly now: string;
  readonly command: string;
  readonly answer: unknown;
  readonly events: string;
  readonly json: unknown;
  readonly hash: string;
}

const file = new URL("./vectors.json", import.meta.url);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function play(flavour: CoreFlavour): Vector[] {
  const core = Core.create(flavour);
  return script.map(({ now, command }, i) => {
    const out = new RecordWriter();
    const envelope = { now, actor: "golden", correlation: `step-${i + 1}` };
    writeCommand(out, command, envelope);
    const { outcomes, events } = core.submit([{ command, envelope }]);
    core.commit(1);
    const json = decodeEvents(events);
    return {
      now: new Date(now).toISOString(),
      command: hex(out.written()),
      answer: JSON.parse(JSON.stringify(outcomes[0])) as unknown,
      events: hex(events),
      json: JSON.parse(JSON.stringify(json)) as unknown,
      hash: core.hash(),
    };
  });
}

if (process.env["HOLDFAST_GOLDEN"] === "write") writeFileSync(file, `${JSON.stringify(play("release"), null, 1)}\n`);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vector[];

describe("the golden vectors", () => {
  it.each(["release", "debug"] as const)("come out of the %s core byte for byte", (flavour) => {
    expect(play(flavour)).toEqual(vectors);
  });

  it.each(["release", "debug"] as const)("give the same state when the %s core applies the events", (flavour) => {
    const core = Core.create(flavour);
    for (const { events, hash } of vectors) {
      core.apply(Buffer.from(events, "hex"));
      expect(core.hash()).toBe(hash);
    }
  });

  it("say the same in JSON as in bytes", () => {
    for (const { events, json } of vectors) expect(hex(encodeEvents(json as Parameters<typeof encodeEvents>[0]))).toBe(events);
  });

  it("show every type of event", () => {
    const shown = new Set(vectors.flatMap(({ json }) => (json as { type: EventType }[]).map(({ type }) => type)));
    expect(Object.keys(eventTypes).filter((type) => !shown.has(type as EventType))).toEqual([]);
  });

  it("show every refusal that needs no full memory and no other writer", () => {
    const shown = new Set(vectors.map(({ answer }) => (answer as { refusal?: Refusal }).refusal?.code));
    for (const code of ["invalid", "not-found", "pool-overlap", "in-use", "connection-expired", "precondition-failed", "too-large", "pool-exhausted", "store-full"]) {
      expect([...shown]).toContain(code);
    }
  });
});
