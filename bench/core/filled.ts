/** Cores in the state a benchmark starts from. */
import type { Command, Envelope } from "#events/command.js";
import { readAnswer, RecordReader } from "#events/codec.js";
import type { Scale } from "../harness/scale.js";
import { defineEndpoint, definePool, request, START, ENDPOINT } from "../workload.js";
import { encodeRuns, RawCore } from "./raw.js";

export const ENVELOPE: Envelope = { now: START, actor: "nsm", correlation: "" };
/** Commands in one submit when a state is built. */
const RUN = 1_024;

/** Numbers from `from` up to but not with `to`, `step` apart. */
export function* numbers(from: number, to: number, step = 1): Generator<number> {
  for (let i = from; i < to; i += step) yield i;
}

export function* map<A, B>(values: Iterable<A>, of: (value: A) => B): Generator<B> {
  for (const value of values) yield of(value);
}

/** Submits and commits every command; throws at the first refusal, which would make figures of nothing. */
export function submitAll(core: RawCore, commands: Iterable<Command>, envelope = ENVELOPE, onEvents?: (events: Uint8Array, count: number) => void): void {
  const reader = new RecordReader();
  for (const run of chunked(commands, RUN)) {
    const bytes = encodeRuns(run, envelope, RUN)[0] as Uint8Array;
    core.commit(core.submit(bytes));
    reader.open(core.answers());
    while (reader.left > 0) {
      const outcome = readAnswer(reader);
      if (!outcome.ok) throw new Error(`the core refused a command of the benchmark: ${JSON.stringify(outcome.refusal)}`);
    }
    onEvents?.(core.events(), core.eventCount());
  }
}

function* chunked<T>(values: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const value of values) {
    chunk.push(value);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** A core that knows the pool and the endpoint; `onEvents` hears what that wrote. */
export function emptyCore(pool = definePool(), onEvents?: (events: Uint8Array, count: number) => void): RawCore {
  const core = new RawCore();
  submitAll(core, [{ kind: "open-realm", graceSeconds: 0 }, pool, defineEndpoint()], ENVELOPE, onEvents);
  return core;
}

/** Takes back what a request just granted, without a trace. */
export function cancel(client: number): Command {
  const { client: identity, connection } = request(client);
  return { kind: "cancel", endpoint: ENDPOINT, client: identity, connection };
}

export type Shape =
  /** Clients 0 to `live` - 1 hold the lowest pairs. */
  | "whole"
  /** Every other pair is free again: clients 0, 2, 4 ... hold one each. */
  | "fragmented";

/** Runs the usual paths often enough that the compiler has settled before anything is timed. */
export function warmUp(scale: Scale): void {
  const count = scale.name === "tiny" ? 50 : 20_000;
  const core = filledCore(count, "fragmented");
  submitAll(core, map(numbers(0, count), (client) => request(client)));
}

/** A core with `live` leases. */
export function filledCore(live: number, shape: Shape): RawCore {
  const core = emptyCore();
  if (shape === "whole") submitAll(core, map(numbers(0, live), (client) => request(client)));
  else {
    submitAll(core, map(numbers(0, 2 * live), (client) => request(client)));
    submitAll(core, map(numbers(1, 2 * live, 2), cancel));
  }
  return core;
}
