// What the running command brings along for its events: time, actor, correlation. And the realm's own
// counters, which every event moves.
import { put64 } from "./journal";
import { LAST_TIME, POSITION } from "./layout";
import { readText8, readU64, textSize } from "./record";
import { INVALID, RULE_TEXT, RULE_TIME, refuse } from "./refusal";
import { isUtf8 } from "./text";

/** Time of the running command: never before the last event's, so that time only goes forward. */
export let now: u64 = 0;
export let actor: usize = 0;
export let actorLength: u32 = 0;
export let correlation: usize = 0;
export let correlationLength: u32 = 0;

/**
 * The last time a command may come at, in milliseconds since 1970: what a lease adds to it can still be shown as a
 * date, and a JavaScript number holds it exactly.
 */
export const TIME_MAX: u64 = 8000000000000000;

/** The last time an event may name: the last date there is (ECMA-262, 21.4.1.1). */
export const DATE_MAX: u64 = 8640000000000000;

/** Reads time, actor and correlation; false if one of them could never be shown again. */
export function readEnvelope(): bool {
  const asked = readU64();
  now = max(asked, load<u64>(LAST_TIME));
  actor = readText8();
  actorLength = textSize;
  correlation = readText8();
  correlationLength = textSize;
  if (asked > TIME_MAX) return refuse(INVALID, RULE_TIME);
  return (isUtf8(actor, actorLength) && isUtf8(correlation, correlationLength)) || refuse(INVALID, RULE_TEXT);
}

/** The time of an event from the log. */
export function setNow(time: u64): void {
  now = time;
}

/** Position the next event will have. */
// @ts-ignore: decorator
@inline
export function nextPosition(): u64 {
  return load<u64>(POSITION) + 1;
}

/** One event more. */
export function advance(): void {
  put64(POSITION, load<u64>(POSITION) + 1);
  if (load<u64>(LAST_TIME) != now) put64(LAST_TIME, now);
}
