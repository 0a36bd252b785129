// What the running command brings along for its events: time, actor, correlation. And the realm's own
// counters, which every event moves.
import { put64 } from "./journal";
import { LAST_TIME, POSITION } from "./layout";
import { readText8, readU64, textSize } from "./record";

/** Time of the running command: never before the last event's, so that time only goes forward. */
export let now: u64 = 0;
export let actor: usize = 0;
export let actorLength: u32 = 0;
export let correlation: usize = 0;
export let correlationLength: u32 = 0;

export function readEnvelope(): void {
  now = max(readU64(), load<u64>(LAST_TIME));
  actor = readText8();
  actorLength = textSize;
  correlation = readText8();
  correlationLength = textSize;
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
