// Why the core says no: a code that never changes its meaning, and the rule that refused.
import { closeAnswer, openAnswer, writeAddress, writeText8, writeU16, writeU32, writeU64, writeU8 } from "./record";
import { POSITION } from "./layout";
import { isUtf8 } from "./text";

export const OK: u32 = 0;
export const INVALID: u32 = 1;
export const NOT_FOUND: u32 = 2;
export const ADDRESS_HELD: u32 = 3;
export const POOL_OVERLAP: u32 = 4;
export const IN_USE: u32 = 5;
export const CONNECTION_EXPIRED: u32 = 6;
export const PRECONDITION_FAILED: u32 = 7;
export const TOO_LARGE: u32 = 8;
export const POOL_EXHAUSTED: u32 = 9;
export const TABLE_FULL: u32 = 10;
export const STORE_FULL: u32 = 11;

export const RULE_NAME: u32 = 1;
export const RULE_MODE: u32 = 2;
export const RULE_PREFIX_COUNT: u32 = 3;
export const RULE_RESERVED_COUNT: u32 = 4;
export const RULE_SECONDS: u32 = 5;
export const RULE_FAMILY_MIXED: u32 = 6;
export const RULE_LENGTH: u32 = 7;
export const RULE_HOST_BITS: u32 = 8;
export const RULE_PREFIXES_MEET: u32 = 9;
export const RULE_POOLS_MEET: u32 = 10;
export const RULE_RESERVED_OUTSIDE: u32 = 11;
export const RULE_REVISION: u32 = 12;
export const RULE_MODE_IN_USE: u32 = 13;
export const RULE_POOL_UNKNOWN: u32 = 14;
export const RULE_POOL_HAS_LEASES: u32 = 15;
export const RULE_POOL_IN_CHAIN: u32 = 16;
export const RULE_ENDPOINT_UNKNOWN: u32 = 17;
export const RULE_CHAIN_SIZE: u32 = 18;
export const RULE_POOL_TWICE: u32 = 19;
export const RULE_IDENTITY: u32 = 20;
export const RULE_EXCLUDED_COUNT: u32 = 21;
export const RULE_EXCLUDED_RANGE: u32 = 22;
export const RULE_ITEM: u32 = 23;
export const RULE_TOO_LATE: u32 = 24;
export const RULE_NO_ROOM: u32 = 25;
export const RULE_STORE_LOW: u32 = 26;
export const RULE_LEASE_UNKNOWN: u32 = 27;
export const RULE_POOL_COUNT: u32 = 28;
export const RULE_ENDPOINT_COUNT: u32 = 29;
export const RULE_MEMORY: u32 = 30;
export const RULE_KIND: u32 = 31;
export const RULE_ITEM_COUNT: u32 = 32;
export const RULE_TEXT: u32 = 33;
export const RULE_TIME: u32 = 34;

// The refusal the running command ends in; code 0 while it is well.
export let refusalCode: u32 = 0;
let rule: u32 = 0;
let subject: usize = 0;
let subjectLength: u32 = 0;
let other: usize = 0;
let otherLength: u32 = 0;
let position: u64 = 0;
let amount: u64 = 0;
let family: u32 = 0;
let addressHi: u64 = 0;
let addressLo: u64 = 0;
let length: u32 = 0;

export function clearRefusal(): void {
  refusalCode = 0;
  subjectLength = 0;
  otherLength = 0;
  position = 0;
  amount = 0;
  family = 0;
  length = 0;
}

/** Refuses; always false, so that a check reads `return refuse(...)`. */
export function refuse(code: u32, ruleNumber: u32): bool {
  refusalCode = code;
  rule = ruleNumber;
  return false;
}
export function about(at: usize, size: u32): void {
  subject = at;
  subjectLength = size;
}
export function against(at: usize, size: u32): void {
  other = at;
  otherLength = size;
}
export function since(at: u64): void {
  position = at;
}
export function counting(n: u64): void {
  amount = n;
}
export function atAddress(addressFamily: u32, hi: u64, lo: u64, prefixLength: u32): void {
  family = addressFamily;
  addressHi = hi;
  addressLo = lo;
  length = prefixLength;
}

/** Opens an answer: u32 length, u16 kind, u16 code, u64 position. */
export function beginAnswer(kind: u32, code: u32): void {
  openAnswer();
  writeU32(0);
  writeU16(kind);
  writeU16(code);
  writeU64(load<u64>(POSITION));
}

/** How much of a text a caller sent can be shown: whole characters, 255 bytes at most; nothing of what is no text. */
function shownLength(at: usize, length: u32): u32 {
  let shown = min(length, 255);
  while (shown < length && shown > 0 && (load<u8>(at + shown) & 0xc0) == 0x80) shown--;
  return isUtf8(at, shown) ? shown : 0;
}

export function writeRefusal(kind: u32): void {
  beginAnswer(kind, refusalCode);
  writeU16(rule);
  writeU8(family);
  writeU8(length);
  writeU64(position);
  writeU64(amount);
  writeText8(subject, shownLength(subject, subjectLength));
  writeText8(other, shownLength(other, otherLength));
  if (family != 0) writeAddress(family, addressHi, addressLo);
  closeAnswer();
}
