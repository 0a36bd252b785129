import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RecordReader, RecordWriter, decodeEvents, encodeEvents, eventTypes, readAnswer, writeCommand } from "#events/codec.js";
import type { Outcome, Refusal, RequestAnswer } from "#events/command.js";
import { Core } from "#events/core.js";
import type { CoreFlavour } from "#events/core.js";
import type { Event, EventType } from "#events/event.js";
import { refusalRule } from "#host/refusal-rules.js";
import { script } from "./script.js";
import type { Step } from "./script.js";

/**
 * The golden vectors: commands, what the core answered, the events in both spellings and the state's hash, byte
 * for byte. They change only with a version of the form they show: `npm run golden` writes them anew.
 */
interface Vector {
  readonly now: string;
  readonly command: string;
  readonly answer: unknown;
  /** The answer's own bytes. */
  readonly answered: string;
  readonly events: string;
  readonly json: unknown;
  readonly hash: string;
}

const file = new URL("./vectors.json", import.meta.url);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** The bytes of one step's command: as the codec writes it, or spoilt. */
function commandBytes({ command, now, spoil }: Step, number: number): Uint8Array {
  const out = new RecordWriter();
  writeCommand(out, command, { now, actor: "golden", correlation: `step-${number}` });
  const bytes = out.written().slice();
  spoil?.(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return bytes;
}

function play(flavour: CoreFlavour): Vector[] {
  const core = Core.create(flavour);
  return script.map((step, i) => {
    const command = commandBytes(step, i + 1);
    const { answers, events, count } = core.submitBytes(command);
    const answer = answers.slice();
    core.commit(1);
    const json = decodeEvents(events);
    expect(json.length).toBe(count);
    return {
      now: new Date(step.now).toISOString(),
      command: hex(command),
      answer: JSON.parse(JSON.stringify(readAnswer(new RecordReader(answer)))) as unknown,
      answered: hex(answer),
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

  it.each([
    ["release", "debug"],
    ["debug", "release"],
  ] as const)("end in a state whose snapshot of the %s core the %s core takes over", (from, to) => {
    const core = Core.create(from);
    for (const { events } of vectors) core.apply(Buffer.from(events, "hex"));
    const restored = Core.create(to);
    restored.restore(core.snapshot());
    expect(restored.hash()).toBe(vectors.at(-1)!.hash);
  });

  it("show every rule that refuses, but those that need a full memory, thousands of pools and endpoints, or bytes that are no text", () => {
    const shown = new Set(vectors.map(({ answer }) => (answer as { refusal?: Refusal }).refusal?.rule));
    const elsewhere = [28, 29, 30, 33];
    for (let rule = 1; !refusalRule(rule).name.startsWith("core-"); rule++) expect(shown.has(rule), refusalRule(rule).name).toBe(!elsewhere.includes(rule));
  });

  it("show every outcome of a lease, every reason of an event and every kind of verdict", () => {
    const answers = vectors.map(({ answer }) => answer as Outcome).flatMap((outcome) => (outcome.ok && "leases" in (outcome.answer as object) ? [outcome.answer as RequestAnswer] : []));
    const events = vectors.flatMap(({ json }) => json as Event[]);
    const reasons = events.flatMap(({ type, data }) => ("reason" in data ? [`${type} ${data.reason}`] : "cause" in data ? [`${type} ${data.cause}`] : []));
    const verdicts = answers.flatMap((answer) => answer.verdicts.map((verdict) => ("rewrite" in verdict ? verdict.rewrite : verdict.keep)));
    expect(new Set(answers.flatMap(({ leases }) => leases.map(({ outcome }) => outcome)))).toEqual(
      new Set(["granted", "regranted", "claimed", "renewed", "restored", "moved"]),
    );
    expect(new Set(verdicts)).toEqual(new Set([true, false, "dst", "src"]));
    expect(new Set(reasons)).toEqual(
      new Set([
        "lease-granted new", "lease-granted own", "lease-granted claimed",
        "lease-moved excluded", "lease-moved prefix-changed", "lease-moved reserved",
        "lease-released closed", "lease-released cancelled", "lease-released operator",
      ]),
    );
    expect(answers.some(({ dstFirst }) => dstFirst >= 0)).toBe(true);
  });
});
