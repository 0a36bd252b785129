/** Refusals of the model: a code and the facts the rules fix. The number of the rule is the core's own affair. */
import type { Refusal, RefusalCode } from "#events/command.js";
import { type Range, addressOf, lengthOf } from "./address.js";

/** Thrown inside a decision and turned into an answer by `model.ts`; the state is a copy then, and is thrown away. */
export class Refuse extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.code);
  }
}

/** A refusal with the facts that apply; what is left out is empty or 0. */
export function refuse(code: RefusalCode, facts: { subject?: string; other?: string; position?: number; count?: number; prefix?: Range } = {}): never {
  const { subject = "", other = "", position = 0, count = 0, prefix } = facts;
  const where = prefix === undefined ? {} : { address: addressOf(prefix.first), length: lengthOf(prefix) };
  throw new Refuse({ code, rule: 0, subject, other, position, count, ...where });
}

const encoder = new TextEncoder();

/** `invalid` unless the text has between `min` and `max` bytes. */
export function checkBytes(text: string, min: number, max: number): void {
  const bytes = encoder.encode(text).length;
  if (bytes > max) refuse("too-large");
  if (bytes < min) refuse("invalid");
}

/** Names of pools and endpoints: 1 to 64 of [A-Za-z0-9._-]. */
export function checkName(name: string): void {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) refuse("invalid", { subject: name });
}

export function checkNumber(value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) refuse("invalid");
}

/** `too-large` over `max`, `invalid` under `min`. */
export function checkCount(count: number, min: number, max: number): void {
  if (count > max) refuse("too-large", { count });
  if (count < min) refuse("invalid", { count });
}

/** `actual` is 0 for what does not exist. */
export function checkRevision(expected: number | undefined, actual: number, subject: string): void {
  if (expected !== undefined && expected !== actual) refuse("precondition-failed", { subject, position: actual });
}
