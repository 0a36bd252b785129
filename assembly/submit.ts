// Commands in, answers and events out. Each command is tentative until the host says it is durable.
import { reserve } from "./arena";
import { LIMIT_MAX, close, cooledCount, endedCount, expire, moreDue, releaseLease } from "./close";
import { changed, created, defineEndpoint, definePool, outside, retireEndpoint, retirePool, revision } from "./configure";
import { forgetFoundEndpoint } from "./endpoint";
import { now, readEnvelope } from "./envelope";
import { REALM_OPENED, beginEvent, endEvent, eventCount, setEventCount } from "./event";
import { realmOpened } from "./evolve";
import { excludeNothing } from "./exclusion";
import { FAULT_INPUT, stop } from "./fault";
import { begin, rollback } from "./journal";
import { BLOCKS, GRACE_UNTIL, LAST_TIME, POSITION } from "./layout";
import { forgetFoundPool } from "./pool";
import {
  closeAnswer,
  cutEvents,
  eventsLength,
  inputAt,
  inputLeft,
  openInput,
  readU16,
  readU32,
  roomForOutput,
  seekInput,
  startOutput,
  writeU32,
  writeU64,
  writeU8,
} from "./record";
import { tableCount } from "./table";
import { INVALID, OK, RULE_KIND, RULE_MEMORY, RULE_SECONDS, TABLE_FULL, beginAnswer, clearRefusal, refuse, writeRefusal } from "./refusal";
import { request, writeRequestAnswer } from "./request";
import { SECONDS_MAX } from "./settings";

export const DEFINE_POOL: u32 = 1;
export const RETIRE_POOL: u32 = 2;
export const DEFINE_ENDPOINT: u32 = 3;
export const RETIRE_ENDPOINT: u32 = 4;
export const REQUEST: u32 = 5;
export const CLOSE: u32 = 6;
export const CANCEL: u32 = 7;
export const RELEASE_LEASE: u32 = 8;
export const EXPIRE: u32 = 9;
export const OPEN_REALM: u32 = 10;

const MEGABYTE: u32 = 1 << 20;
/** The longest lease event: five texts of 255 bytes, addresses twice, the header. */
const LEASE_EVENT_MAX: u32 = 2048;
/** The largest answer, and behind it room for the next command's refusal, should there be no memory for that one. */
const ANSWER_MAX: u32 = 8192 + 1024;
/** A close may end a lease in each of 16 times 16 pools. */
const EVENTS_MAX: u32 = 256 * LEASE_EVENT_MAX;

let awayMs: u64 = 0;

function openRealm(): bool {
  const seconds = readU32();
  if (seconds > SECONDS_MAX) return refuse(INVALID, RULE_SECONDS);
  const grace = <u64>seconds * 1000;
  const last = load<u64>(LAST_TIME);
  awayMs = load<u64>(POSITION) == 0 ? 0 : now - last;
  const until = max(now + grace, load<u64>(GRACE_UNTIL));
  beginEvent(REALM_OPENED, 0);
  writeU64(awayMs);
  writeU64(until);
  endEvent();
  realmOpened(until);
  return true;
}

function decide(kind: u32, flags: u32): bool {
  switch (kind) {
    case DEFINE_POOL:
      return definePool();
    case RETIRE_POOL:
      return retirePool();
    case DEFINE_ENDPOINT:
      return defineEndpoint();
    case RETIRE_ENDPOINT:
      return retireEndpoint();
    case REQUEST:
      return request(flags);
    case CLOSE:
      return close(false);
    case CANCEL:
      return close(true);
    case RELEASE_LEASE:
      return releaseLease();
    case EXPIRE:
      return expire();
    case OPEN_REALM:
      return openRealm();
    default:
      return refuse(INVALID, RULE_KIND);
  }
}

function writeAnswer(kind: u32): void {
  if (kind == REQUEST) {
    writeRequestAnswer(kind);
    return;
  }
  beginAnswer(kind, OK);
  if (kind == DEFINE_POOL || kind == DEFINE_ENDPOINT) {
    writeU8(created ? 1 : 0);
    writeU8(changed ? 1 : 0);
    writeU64(revision);
    writeU32(kind == DEFINE_POOL ? outside : 0);
  } else if (kind == RETIRE_POOL || kind == RETIRE_ENDPOINT) writeU64(revision);
  else if (kind == EXPIRE) {
    writeU32(endedCount);
    writeU32(cooledCount);
    writeU8(moreDue ? 1 : 0);
  } else if (kind == OPEN_REALM) {
    writeU64(awayMs);
    writeU64(load<u64>(GRACE_UNTIL));
  } else writeU32(endedCount);
  closeAnswer();
}

/** Memory the command may need, made sure of before it changes anything. */
function roomFor(kind: u32): bool {
  if (kind == EXPIRE) return reserve(8 * MEGABYTE) && roomForOutput(ANSWER_MAX, LIMIT_MAX * LEASE_EVENT_MAX);
  // Every second block may be full and become a run of its own in a prefix that comes back.
  const runs = kind <= RETIRE_POOL ? <u64>tableCount(BLOCKS) * 128 : 0;
  if (!reserve(<u32>min<u64>(MEGABYTE + runs, 0x7fffffff))) return false;
  return roomForOutput(ANSWER_MAX, EVENTS_MAX);
}

/** Decides the commands in the input, one after another. Gives how many there were. */
export function submitAll(length: u32): u32 {
  openInput(length);
  startOutput();
  setEventCount(0);
  let commands: u32 = 0;
  while (inputLeft() > 0) {
    const start = inputAt();
    const size = readU32();
    const kind = readU16();
    const flags = readU16();
    const end = start + size;
    if (size < 8 || size - 8 > inputLeft()) stop(FAULT_INPUT);
    begin();
    clearRefusal();
    excludeNothing();
    const sound = readEnvelope();
    const eventsBefore = eventsLength();
    const countBefore = eventCount();
    const ok = roomFor(kind) ? sound && decide(kind, flags) : refuse(TABLE_FULL, RULE_MEMORY);
    if (inputAt() > end) stop(FAULT_INPUT);
    if (ok) writeAnswer(kind);
    else {
      rollback();
      forgetFoundPool();
      forgetFoundEndpoint();
      cutEvents(eventsBefore);
      setEventCount(countBefore);
      writeRefusal(kind);
    }
    seekInput(end);
    commands++;
  }
  return commands;
}
