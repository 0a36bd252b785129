/** Says where two answers, logs or states differ, in words a person can act on. */
import { isDeepStrictEqual } from "node:util";
import type { Outcome, RefusalCode } from "#events/command.js";

/** Thrown where subject and model disagree; the property reports it with the commands so far. */
export class Disagreement extends Error {}

export function agree(what: string, model: unknown, subject: unknown): void {
  if (isDeepStrictEqual(model, subject)) return;
  const [wanted, got] = [plain(model), plain(subject)];
  if (isDeepStrictEqual(wanted, got)) return;
  throw new Disagreement(`${what}\n  model:   ${JSON.stringify(wanted)}\n  subject: ${JSON.stringify(got)}`);
}

/** Refusals for malformed input or too much of it: which of several faults is named first is the core's own affair. */
const withoutFacts: readonly RefusalCode[] = ["invalid", "too-large"];

/** The number of the rule that refused is the core's own affair, too; everything else of an outcome must be the same. */
export function comparable(outcome: Outcome): unknown {
  if (outcome.ok) return outcome;
  const { rule: _, ...facts } = outcome.refusal;
  if (withoutFacts.includes(facts.code)) return { ok: false, refusal: { code: facts.code } };
  return { ok: false, refusal: facts };
}

/** Keys in one order and no difference between absent and undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  }));
}
