/** Answers as the core writes them (docs/events.md, "Answers"). */
import type { AnsweredLease, AnswerOf, Command, LeaseOutcome, MoveReason, Outcome, Refusal, RefusalCode, RequestAnswer, Verdict } from "../command.js";
import { commandKinds } from "./command.js";
import type { RecordReader } from "./reader.js";
import { poolModes } from "./settings.js";

export const refusalCodes: readonly RefusalCode[] = [
  "invalid",
  "not-found",
  "address-held",
  "pool-overlap",
  "in-use",
  "connection-expired",
  "precondition-failed",
  "too-large",
  "pool-exhausted",
  "table-full",
  "store-full",
];
const outcomes: readonly LeaseOutcome[] = ["granted", "regranted", "claimed", "renewed", "restored", "moved"];
export const moveReasons: readonly MoveReason[] = ["excluded", "prefix-changed", "reserved"];

function readRefusal(input: RecordReader, code: number): Refusal {
  const rule = input.u16();
  const family = input.u8();
  const length = input.u8();
  const facts = {
    code: refusalCodes[code - 1]!,
    rule,
    position: input.u64(),
    count: input.u64(),
    subject: input.text8(),
    other: input.text8(),
  };
  return family === 0 ? facts : { ...facts, address: input.address(family), length };
}

function readLease(input: RecordReader): AnsweredLease {
  const lease = input.u64();
  const expiresAt = input.u64();
  const family = input.u8();
  const mode = poolModes[input.u8()]!;
  const outcome = outcomes[input.u8()]!;
  const bits = input.u8();
  const length = input.u8();
  const reason = input.u8();
  const fromFamily = input.u8();
  const dst = input.address(family);
  const src = input.address(family);
  const movedFrom = reason === 0 ? undefined : { dst: input.address(fromFamily), src: input.address(fromFamily), reason: moveReasons[reason - 1]! };
  const pool = input.text8();
  const present = { src: (bits & 1) !== 0, dst: (bits & 2) !== 0, srcRoute: (bits & 4) !== 0, dstRoute: (bits & 8) !== 0 };
  return { lease, pool, mode, outcome, dst, src, length, expiresAt, present, ...(movedFrom && { movedFrom }) };
}

const kept: Verdict = { keep: true };
const dropped: Verdict = { keep: false };

function verdictOf(byte: number): Verdict {
  if (byte === 0) return kept;
  if (byte === 1) return dropped;
  return { keep: true, rewrite: (byte & 1) === 0 ? "dst" : "src", lease: (byte - 2) >> 1 };
}

function readRequestAnswer(input: RecordReader): RequestAnswer {
  const count = input.u8();
  const dstFirst = input.u8() - 1;
  const items = input.u16();
  const leases: AnsweredLease[] = [];
  for (let i = 0; i < count; i++) leases.push(readLease(input));
  const verdicts: Verdict[] = [];
  for (let i = 0; i < items; i++) verdicts.push(verdictOf(input.u8()));
  return { leases, verdicts, dstFirst };
}

function readBody(input: RecordReader, kind: Command["kind"]): AnswerOf[Command["kind"]] {
  switch (kind) {
    case "define-pool": {
      const created = input.u8() !== 0;
      const changed = input.u8() !== 0;
      return { created, changed, revision: input.u64(), outside: input.u32() };
    }
    case "define-endpoint": {
      const created = input.u8() !== 0;
      const changed = input.u8() !== 0;
      return { created, changed, revision: input.u64() };
    }
    case "retire-pool":
    case "retire-endpoint":
      return { revision: input.u64() };
    case "request":
      return readRequestAnswer(input);
    case "close":
    case "cancel":
    case "release-lease":
      return { released: input.u32() };
    case "expire":
      return { expired: input.u32(), cooled: input.u32(), more: input.u8() !== 0 };
    case "open-realm":
      return { awayMs: input.u64(), graceUntil: input.u64() };
  }
}

/** Reads the next answer. */
export function readAnswer(input: RecordReader): Outcome {
  const start = input.at;
  const size = input.u32();
  const kind = commandKinds[input.u16() - 1]!;
  const code = input.u16();
  const position = input.u64();
  const outcome: Outcome = code === 0 ? { ok: true, position, answer: readBody(input, kind) } : { ok: false, refusal: readRefusal(input, code) };
  input.at = start + size;
  return outcome;
}
