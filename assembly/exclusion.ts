// What must not be handed out, as views over a pool: a request's excluded prefixes, a pool's reserved
// ones. Nothing is copied and nothing is taken from the pool, so nothing is lost to others.
import { V4, less, next, resultHi, resultLo } from "./address";
import { reservedCount, reservedRanges } from "./pool";
import { lowestFree } from "./occupancy";

// The running command's excluded ranges, sorted and disjoint. IPv4: 8 bytes (first, last);
// IPv6: 32 bytes (first hi, lo, last hi, lo). Both inclusive.
let ranges4: usize = 0;
let count4: u32 = 0;
let ranges6: usize = 0;
let count6: u32 = 0;
let named: u32 = 0;

export function excludeNothing(): void {
  count4 = 0;
  count6 = 0;
  named = 0;
}

/** How many ranges the command named. */
export function excludedCount(): u32 {
  return named;
}

function isSorted4(): bool {
  let last: i64 = -1;
  let at = ranges4;
  const end = ranges4 + (<usize>count4 << 3);
  while (at < end) {
    const a = <i64>load<u32>(at);
    const b = <i64>load<u32>(at, 4);
    if (a <= last || b < a) return false;
    last = b;
    at += 8;
  }
  return true;
}

function isSorted6(): bool {
  for (let i: u32 = 0; i < count6; i++) {
    const at = ranges6 + (<usize>i << 5);
    if (less(load<u64>(at, 16), load<u64>(at, 24), load<u64>(at), load<u64>(at, 8))) return false;
    if (i > 0 && !less(load<u64>(at - 16), load<u64>(at - 8), load<u64>(at), load<u64>(at, 8))) return false;
  }
  return true;
}

function before4(a: usize, b: usize): bool {
  return load<u32>(a) < load<u32>(b);
}
function swap4(a: usize, b: usize): void {
  const x = load<u64>(a);
  store<u64>(a, load<u64>(b));
  store<u64>(b, x);
}
function before6(a: usize, b: usize): bool {
  return less(load<u64>(a), load<u64>(a, 8), load<u64>(b), load<u64>(b, 8));
}
function swap6(a: usize, b: usize): void {
  for (let i: usize = 0; i < 32; i += 8) {
    const x = load<u64>(a + i);
    store<u64>(a + i, load<u64>(b + i));
    store<u64>(b + i, x);
  }
}

/** Heap sort by first address: in place, no recursion. */
function sortRanges(base: usize, count: u32, shift: u32): void {
  const wide = shift == 5;
  let start = count >> 1;
  let end = count;
  while (end > 1) {
    if (start > 0) start--;
    else {
      end--;
      if (wide) swap6(base, base + (<usize>end << shift));
      else swap4(base, base + (<usize>end << shift));
    }
    let root = start;
    while (true) {
      let child = (root << 1) + 1;
      if (child >= end) break;
      const c = base + (<usize>child << shift);
      const d = c + ((<usize>1) << shift);
      if (child + 1 < end && (wide ? before6(c, d) : before4(c, d))) child++;
      const r = base + (<usize>root << shift);
      const k = base + (<usize>child << shift);
      if (!(wide ? before6(r, k) : before4(r, k))) break;
      if (wide) swap6(r, k);
      else swap4(r, k);
      root = child;
    }
  }
}

/** Merges sorted ranges that meet or touch; gives how many are left. */
export function mergeRanges6(base: usize, count: u32): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = base + (<usize>i << 5);
    if (kept > 0) {
      const last = base + (<usize>(kept - 1) << 5);
      const open = next(load<u64>(last, 16), load<u64>(last, 24));
      if (!open || !less(resultHi, resultLo, load<u64>(at), load<u64>(at, 8))) {
        if (less(load<u64>(last, 16), load<u64>(last, 24), load<u64>(at, 16), load<u64>(at, 24))) {
          store<u64>(last, load<u64>(at, 16), 16);
          store<u64>(last, load<u64>(at, 24), 24);
        }
        continue;
      }
    }
    const to = base + (<usize>kept << 5);
    if (to != at) memory.copy(to, at, 32);
    kept++;
  }
  return kept;
}

function mergeRanges4(base: usize, count: u32): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = base + (<usize>i << 3);
    if (kept > 0) {
      const last = base + (<usize>(kept - 1) << 3);
      if (<u64>load<u32>(at) <= <u64>load<u32>(last, 4) + 1) {
        if (load<u32>(last, 4) < load<u32>(at, 4)) store<u32>(last, load<u32>(at, 4), 4);
        continue;
      }
    }
    const to = base + (<usize>kept << 3);
    if (to != at) store<u64>(to, load<u64>(at));
    kept++;
  }
  return kept;
}

/** Sorts 32-byte ranges by first address and merges them. */
export function settleRanges6(base: usize, count: u32): u32 {
  sortRanges(base, count, 5);
  return mergeRanges6(base, count);
}

/**
 * Takes the command's ranges as they stand in the input. Sorted ones, as hosts send them, cost one
 * look each; others are sorted in place. False when some range ends before it starts.
 */
export function exclude(at4: usize, n4: u32, at6: usize, n6: u32): bool {
  ranges4 = at4;
  count4 = n4;
  ranges6 = at6;
  count6 = n6;
  named = n4 + n6;
  if (!isSorted4()) {
    for (let i: u32 = 0; i < n4; i++) {
      const at = at4 + (<usize>i << 3);
      if (load<u32>(at, 4) < load<u32>(at)) return false;
    }
    sortRanges(at4, n4, 3);
    count4 = mergeRanges4(at4, n4);
  }
  if (!isSorted6()) {
    for (let i: u32 = 0; i < n6; i++) {
      const at = at6 + (<usize>i << 5);
      if (less(load<u64>(at, 16), load<u64>(at, 24), load<u64>(at), load<u64>(at, 8))) return false;
    }
    count6 = settleRanges6(at6, n6);
  }
  return true;
}

let endHi: u64 = 0;
let endLo: u64 = 0;

/** Whether one of the 32-byte ranges holds the address; its end in endHi, endLo. */
function inRanges6(base: usize, count: u32, hi: u64, lo: u64): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = base + (<usize>middle << 5);
    if (less(hi, lo, load<u64>(at), load<u64>(at, 8))) high = middle;
    else low = middle + 1;
  }
  if (low == 0) return false;
  const at = base + (<usize>(low - 1) << 5);
  if (less(load<u64>(at, 16), load<u64>(at, 24), hi, lo)) return false;
  endHi = load<u64>(at, 16);
  endLo = load<u64>(at, 24);
  return true;
}

function inRanges4(lo: u32): bool {
  let low: u32 = 0;
  let high = count4;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lo < load<u32>(ranges4 + (<usize>middle << 3))) high = middle;
    else low = middle + 1;
  }
  if (low == 0) return false;
  const last = load<u32>(ranges4 + (<usize>(low - 1) << 3), 4);
  if (last < lo) return false;
  endHi = 0;
  endLo = last;
  return true;
}

/** Whether the running command excludes the address. */
export function isExcluded(family: u32, hi: u64, lo: u64): bool {
  if (family == V4) return count4 != 0 && inRanges4(<u32>lo);
  return count6 != 0 && inRanges6(ranges6, count6, hi, lo);
}

/** Whether the pool holds the address back from everybody. */
export function isReserved(pool: usize, hi: u64, lo: u64): bool {
  const count = reservedCount(pool);
  return count != 0 && inRanges6(reservedRanges(pool), count, hi, lo);
}

/**
 * The lowest free address of the prefix at or above the given one that is neither excluded nor reserved, in
 * resultHi/resultLo. Each step leaves a whole excluded or reserved range behind.
 */
export function lowestUsable(pool: usize, family: u32, prefix: usize, fromHi: u64, fromLo: u64): bool {
  let hi = fromHi;
  let lo = fromLo;
  while (true) {
    if (!lowestFree(prefix, family, hi, lo)) return false;
    const atHi = resultHi;
    const atLo = resultLo;
    if (!isExcluded(family, atHi, atLo) && !isReserved(pool, atHi, atLo)) return true;
    if (!next(endHi, endLo)) return false;
    hi = resultHi;
    lo = resultLo;
  }
}
