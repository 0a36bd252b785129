// Which addresses are held, and which ever were: two bits for each, 64 addresses to a block. Blocks exist where
// something was issued; a /8 or an IPv6 /64 costs what its leases cost.
//
// Bits belong to the realm and not to a pool: a lease that outlives a change of prefixes holds its addresses
// wherever they lie then, and nothing has to be moved when prefixes come and go.
//
// A block is 32 bytes: u64 high half, u64 low half of its first address with the family in the lowest bits,
// u64 held, u64 issued. Each prefix keeps the runs of its blocks that are wholly held, so that looking for the
// lowest free address steps over them at once.
import { V4, answer, less, next, resultHi, resultLo } from "./address";
import { FAULT_ADDRESS_FREE, FAULT_ADDRESS_TAKEN, stop } from "./fault";
import { put32, put64, take } from "./journal";
import { BLOCKS } from "./layout";
import { mix } from "./digest";
import { FULL_ROOT, HELD, MODE_SINGLE, poolMode, prefixPool, prefixWith } from "./pool";
import { BRIEF_WALK, addEntry, firstMatch, nextMatch, nextOfWalk, startWalk, tableCount } from "./table";
import { firstHi, firstLo, floorNode, lastHi, lastLo, putRange, takeSpan } from "./tree";

const KEY_HI: usize = 0;
const KEY_LO: usize = 8;
const HELD_BITS: usize = 16;
const ISSUED_BITS: usize = 24;
const BLOCK: u32 = 32;

const WITHIN: u64 = 63;
const ALL: u64 = 0xffffffffffffffff;

// Eight blocks share a neighbourhood of buckets, so that sequences hit neighbouring lines.
// @ts-ignore: decorator
@inline
function blockHash(hi: u64, lo: u64): u32 {
  return ((<u32>mix(hi ^ (lo >> 9))) << 3) | (<u32>(lo >> 6) & 7);
}

// @ts-ignore: decorator
@inline
function keyLo(family: u32, lo: u64): u64 {
  return (lo & ~WITHIN) | family;
}

function findBlock(family: u32, hi: u64, lo: u64): usize {
  const key = keyLo(family, lo);
  const hash = blockHash(hi, lo);
  let block = firstMatch(BLOCKS, hash);
  while (block != 0 && !(load<u64>(block, KEY_LO) == key && load<u64>(block, KEY_HI) == hi)) block = nextMatch(hash);
  return block;
}

/** The block of the address, made if it is not there. */
function blockOf(family: u32, hi: u64, lo: u64): usize {
  const found = findBlock(family, hi, lo);
  if (found != 0) return found;
  const block = take(BLOCK);
  store<u64>(block, hi, KEY_HI);
  store<u64>(block, keyLo(family, lo), KEY_LO);
  store<u64>(block, 0, HELD_BITS);
  store<u64>(block, 0, ISSUED_BITS);
  addEntry(BLOCKS, blockHash(hi, lo), block);
  return block;
}

// @ts-ignore: decorator
@inline
function bitsFrom(first: u64, last: u64): u64 {
  return (ALL << (first & WITHIN)) & (ALL >> (63 - (last & WITHIN)));
}

/** Whether somebody holds the address: a live or cooling lease, or the pool's endpoint. */
export function isHeld(family: u32, hi: u64, lo: u64): bool {
  const block = findBlock(family, hi, lo);
  return block != 0 && ((load<u64>(block, HELD_BITS) >> (lo & WITHIN)) & 1) != 0;
}

/** Whether the address was ever given to somebody. */
export function wasIssued(family: u32, hi: u64, lo: u64): bool {
  const block = findBlock(family, hi, lo);
  return block != 0 && ((load<u64>(block, ISSUED_BITS) >> (lo & WITHIN)) & 1) != 0;
}

/** Whether the address is its prefix's broadcast address, which `single` pools never hand out (sdk#1430). */
// @ts-ignore: decorator
@inline
export function isBroadcast(prefix: usize, family: u32, hi: u64, lo: u64): bool {
  return family == V4 && poolMode(prefixPool(prefix)) == MODE_SINGLE && lastLo(prefix) == lo && lastHi(prefix) == hi;
}

/** Whether the whole block lies in the prefix. Prefixes are aligned: if not, the prefix lies in the block. */
// @ts-ignore: decorator
@inline
function isWithin(prefix: usize): bool {
  return lastHi(prefix) != firstHi(prefix) || lastLo(prefix) - firstLo(prefix) >= WITHIN;
}

/** Holds addresses of one block; `prefix` is the one they lie in, 0 if none. Stops where one is held already. */
function holdInBlock(family: u32, prefix: usize, hi: u64, first: u64, last: u64): void {
  const block = blockOf(family, hi, first);
  const bits = bitsFrom(first, last);
  const before = load<u64>(block, HELD_BITS);
  if ((before & bits) != 0) stop(FAULT_ADDRESS_TAKEN);
  put64(block + HELD_BITS, before | bits);
  const issued = load<u64>(block, ISSUED_BITS);
  if ((issued & bits) != bits) put64(block + ISSUED_BITS, issued | bits);
  if (prefix == 0) return;
  put32(prefix + HELD, load<u32>(prefix, HELD) + <u32>popcnt(bits));
  if ((before | bits) == ALL && isWithin(prefix)) putRange(prefix + FULL_ROOT, hi, first & ~WITHIN, hi, first | WITHIN);
}

function freeInBlock(family: u32, prefix: usize, hi: u64, first: u64, last: u64): void {
  const block = findBlock(family, hi, first);
  const bits = bitsFrom(first, last);
  if (block == 0) stop(FAULT_ADDRESS_FREE);
  const before = load<u64>(block, HELD_BITS);
  if ((before & bits) != bits) stop(FAULT_ADDRESS_FREE);
  put64(block + HELD_BITS, before & ~bits);
  if (prefix == 0) return;
  put32(prefix + HELD, load<u32>(prefix, HELD) - <u32>popcnt(bits));
  if (before == ALL && isWithin(prefix)) takeSpan(prefix + FULL_ROOT, hi, first & ~WITHIN, hi, first | WITHIN);
}

/** Holds one address, or two neighbours, of one prefix. Stops the program when one is held: somebody else has it. */
export function hold(family: u32, prefix: usize, hi: u64, first: u64, last: u64): void {
  if (((first ^ last) & ~WITHIN) == 0) holdInBlock(family, prefix, hi, first, last);
  else {
    holdInBlock(family, prefix, hi, first, first);
    holdInBlock(family, prefix, hi, last, last);
  }
}

/** Frees an address. Stops the program when nobody holds it. */
export function free(family: u32, hi: u64, lo: u64): void {
  freeInBlock(family, prefixWith(family, hi, lo), hi, lo, lo);
}

/** Frees two neighbours of one prefix, or of none. */
export function freeCouple(family: u32, prefix: usize, hi: u64, first: u64, last: u64): void {
  if (((first ^ last) & ~WITHIN) == 0) freeInBlock(family, prefix, hi, first, last);
  else {
    freeInBlock(family, prefix, hi, first, first);
    freeInBlock(family, prefix, hi, last, last);
  }
}

/** The lowest address of the prefix at or above the given one that nobody holds, in resultHi and resultLo. */
export function lowestFree(prefix: usize, family: u32, fromHi: u64, fromLo: u64): bool {
  const full = prefix + FULL_ROOT;
  let hi = fromHi;
  let lo = fromLo;
  while (true) {
    if (less(lastHi(prefix), lastLo(prefix), hi, lo)) return false;
    const run = floorNode(full, hi, lo);
    if (run != 0 && !less(lastHi(run), lastLo(run), hi, lo)) {
      if (!next(lastHi(run), lastLo(run))) return false;
      hi = resultHi;
      lo = resultLo;
      if (less(lastHi(prefix), lastLo(prefix), hi, lo)) return false;
    }
    const block = findBlock(family, hi, lo);
    const usable = (block == 0 ? ALL : ~load<u64>(block, HELD_BITS)) & (ALL << (lo & WITHIN));
    if (usable != 0) {
      lo = (lo & ~WITHIN) + ctz(usable);
      if (less(lastHi(prefix), lastLo(prefix), hi, lo) || isBroadcast(prefix, family, hi, lo)) return false;
      answer(hi, lo);
      return true;
    }
    if (!next(hi, lo | WITHIN)) return false;
    hi = resultHi;
    lo = resultLo;
  }
}

// --- counting ------------------------------------------------------------------------------------------

function heldBits(block: usize, aHi: u64, aLo: u64, bHi: u64, bLo: u64): u32 {
  const hi = load<u64>(block, KEY_HI);
  const lo = load<u64>(block, KEY_LO) & ~WITHIN;
  if (less(hi, lo | WITHIN, aHi, aLo) || less(bHi, bLo, hi, lo)) return 0;
  const from = less(hi, lo, aHi, aLo) ? aLo : lo;
  const to = less(bHi, bLo, hi, lo | WITHIN) ? bLo : lo | WITHIN;
  return <u32>popcnt(load<u64>(block, HELD_BITS) & bitsFrom(from, to));
}

/** How many addresses of the range are held: by the blocks of the range or by all there are, whichever is less work. */
export function heldWithin(family: u32, aHi: u64, aLo: u64, bHi: u64, bLo: u64): u32 {
  let held: u32 = 0;
  const blocks = tableCount(BLOCKS);
  if (aHi == bHi && (bLo >> 6) - (aLo >> 6) < blocks) {
    let lo = aLo;
    while (true) {
      const block = findBlock(family, aHi, lo);
      if (block != 0) held += heldBits(block, aHi, aLo, bHi, bLo);
      if ((lo | WITHIN) >= bLo) return held;
      lo = (lo | WITHIN) + 1;
    }
  }
  startWalk(BRIEF_WALK, BLOCKS);
  let block = nextOfWalk(BRIEF_WALK);
  while (block != 0) {
    if (blockFamily(block) == family) held += heldBits(block, aHi, aLo, bHi, bLo);
    block = nextOfWalk(BRIEF_WALK);
  }
  return held;
}

/** Notes what is held in a prefix that has just come: leases of before may hold addresses there. */
export function countHeld(prefix: usize, family: u32): void {
  let held: u32 = 0;
  startWalk(BRIEF_WALK, BLOCKS);
  let block = nextOfWalk(BRIEF_WALK);
  while (block != 0) {
    if (blockFamily(block) == family) {
      const bits = heldBits(block, firstHi(prefix), firstLo(prefix), lastHi(prefix), lastLo(prefix));
      held += bits;
      const lo = blockLo(block);
      if (bits == 64) putRange(prefix + FULL_ROOT, blockHi(block), lo, blockHi(block), lo | WITHIN);
    }
    block = nextOfWalk(BRIEF_WALK);
  }
  put32(prefix + HELD, held);
}

// --- for snapshots and the state's hash ------------------------------------------------------------------

// @ts-ignore: decorator
@inline
export function blockFamily(block: usize): u32 {
  return <u32>(load<u64>(block, KEY_LO) & WITHIN);
}
// @ts-ignore: decorator
@inline
export function blockHi(block: usize): u64 {
  return load<u64>(block, KEY_HI);
}
/** Low half of the block's first address. */
// @ts-ignore: decorator
@inline
export function blockLo(block: usize): u64 {
  return load<u64>(block, KEY_LO) & ~WITHIN;
}
// @ts-ignore: decorator
@inline
export function issuedBits(block: usize): u64 {
  return load<u64>(block, ISSUED_BITS);
}

/** Brings back which addresses of a block were ever issued. */
export function restoreIssued(family: u32, hi: u64, lo: u64, bits: u64): void {
  const block = blockOf(family, hi, lo);
  put64(block + ISSUED_BITS, load<u64>(block, ISSUED_BITS) | bits);
}
