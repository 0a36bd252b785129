// The leases of the answer being made, one per group, before they are written out.
import { allocate } from "./arena";

export const GROUPS_MAX: u32 = 16;

export const GRANTED: u32 = 0;
export const REGRANTED: u32 = 1;
export const CLAIMED: u32 = 2;
export const RENEWED: u32 = 3;
export const RESTORED: u32 = 4;
export const MOVED: u32 = 5;

export const PRESENT_SRC: u32 = 1;
export const PRESENT_DST: u32 = 2;
export const PRESENT_SRC_ROUTE: u32 = 4;
export const PRESENT_DST_ROUTE: u32 = 8;

const ID: usize = 0;
const EXPIRES: usize = 8;
const DST: usize = 16;
const SRC: usize = 32;
const FROM_DST: usize = 48;
const FROM_SRC: usize = 64;
const POOL: usize = 80;
const FAMILY: usize = 84;
const SINGLE: usize = 88;
const OUTCOME: usize = 92;
const LENGTH: usize = 96;
const REASON: usize = 100;
const FROM_FAMILY: usize = 104;
const PRESENT: usize = 108;
const FROM_SINGLE: usize = 112;
const BYTES: usize = 120;

let base: usize = 0;
export let answeredCount: u32 = 0;

export function clearAnswered(): void {
  if (base == 0) base = allocate(GROUPS_MAX * <u32>BYTES);
  answeredCount = 0;
}

// @ts-ignore: decorator
@inline
function at(i: u32): usize {
  return base + <usize>i * BYTES;
}

export function addAnswered(
  id: u64,
  expires: u64,
  pool: usize,
  family: u32,
  single: bool,
  outcome: u32,
  length: u32,
  dHi: u64,
  dLo: u64,
  sHi: u64,
  sLo: u64,
): void {
  const p = at(answeredCount);
  store<u64>(p, id, ID);
  store<u64>(p, expires, EXPIRES);
  store<u64>(p, dHi, DST);
  store<u64>(p, dLo, DST + 8);
  store<u64>(p, sHi, SRC);
  store<u64>(p, sLo, SRC + 8);
  store<u32>(p, <u32>pool, POOL);
  store<u32>(p, family, FAMILY);
  store<u32>(p, single ? 1 : 0, SINGLE);
  store<u32>(p, outcome, OUTCOME);
  store<u32>(p, length, LENGTH);
  store<u32>(p, 0, REASON);
  store<u32>(p, 0, PRESENT);
  answeredCount++;
}

/** The lease added last comes from elsewhere. */
export function movedFrom(reason: u32, family: u32, single: bool, dHi: u64, dLo: u64, sHi: u64, sLo: u64): void {
  const p = at(answeredCount - 1);
  store<u32>(p, reason, REASON);
  store<u32>(p, family, FROM_FAMILY);
  store<u32>(p, single ? 1 : 0, FROM_SINGLE);
  store<u64>(p, dHi, FROM_DST);
  store<u64>(p, dLo, FROM_DST + 8);
  store<u64>(p, sHi, FROM_SRC);
  store<u64>(p, sLo, FROM_SRC + 8);
}

export function answeredId(i: u32): u64 {
  return load<u64>(at(i), ID);
}
export function answeredExpires(i: u32): u64 {
  return load<u64>(at(i), EXPIRES);
}
export function answeredPool(i: u32): usize {
  return load<u32>(at(i), POOL);
}
export function answeredFamily(i: u32): u32 {
  return load<u32>(at(i), FAMILY);
}
export function answeredSingle(i: u32): bool {
  return load<u32>(at(i), SINGLE) != 0;
}
export function answeredOutcome(i: u32): u32 {
  return load<u32>(at(i), OUTCOME);
}
export function answeredLength(i: u32): u32 {
  return load<u32>(at(i), LENGTH);
}
export function answeredReason(i: u32): u32 {
  return load<u32>(at(i), REASON);
}
export function answeredPresent(i: u32): u32 {
  return load<u32>(at(i), PRESENT);
}
/** Marks a place as filled by the context; false if it was before. */
export function markPresent(i: u32, bit: u32): bool {
  const p = at(i);
  const bits = load<u32>(p, PRESENT);
  if ((bits & bit) != 0) return false;
  store<u32>(p, bits | bit, PRESENT);
  return true;
}
export function dstHiOf(i: u32): u64 {
  return load<u64>(at(i), DST);
}
export function dstLoOf(i: u32): u64 {
  return load<u64>(at(i), DST + 8);
}
export function srcHiOf(i: u32): u64 {
  return load<u64>(at(i), SRC);
}
export function srcLoOf(i: u32): u64 {
  return load<u64>(at(i), SRC + 8);
}
export function fromFamily(i: u32): u32 {
  return load<u32>(at(i), FROM_FAMILY);
}
export function fromDstHi(i: u32): u64 {
  return load<u64>(at(i), FROM_DST);
}
export function fromDstLo(i: u32): u64 {
  return load<u64>(at(i), FROM_DST + 8);
}
export function fromSrcHi(i: u32): u64 {
  return load<u64>(at(i), FROM_SRC);
}
export function fromSrcLo(i: u32): u64 {
  return load<u64>(at(i), FROM_SRC + 8);
}

/** Which answered lease has the address as its src; -1 if none. */
export function answeredWithSrc(family: u32, hi: u64, lo: u64): i32 {
  for (let i: u32 = 0; i < answeredCount; i++) {
    if (answeredFamily(i) == family && srcLoOf(i) == lo && srcHiOf(i) == hi) return <i32>i;
  }
  return -1;
}

/** Which answered pair has the address as its dst; -1 if none. */
export function answeredWithDst(family: u32, hi: u64, lo: u64): i32 {
  for (let i: u32 = 0; i < answeredCount; i++) {
    if (answeredFamily(i) == family && !answeredSingle(i) && dstLoOf(i) == lo && dstHiOf(i) == hi) return <i32>i;
  }
  return -1;
}

/** The first answered lease of the family (a pair, if `pair`); -1 if none. */
export function firstAnswered(family: u32, pair: bool): i32 {
  for (let i: u32 = 0; i < answeredCount; i++) {
    if (answeredFamily(i) == family && !(pair && answeredSingle(i))) return <i32>i;
  }
  return -1;
}

/** Whether the address is one that a lease moved away from in this very answer. */
export function isMovedFrom(family: u32, hi: u64, lo: u64): bool {
  for (let i: u32 = 0; i < answeredCount; i++) {
    if (answeredReason(i) == 0 || fromFamily(i) != family) continue;
    if (fromSrcLo(i) == lo && fromSrcHi(i) == hi) return true;
    if (load<u32>(at(i), FROM_SINGLE) == 0 && fromDstLo(i) == lo && fromDstHi(i) == hi) return true;
  }
  return false;
}
