// Which addresses a new lease gets: its own of before, those it claims, or the lowest that are free.
// Only looks; taking is done by the event.
import { next, resultHi, resultLo, same } from "./address";
import { isExcluded, isReserved, lowestUsable } from "./exclusion";
import { NEXT_SHARED } from "./holding";
import { COOLING, ENDED, STOLEN, dstHi, dstLo, hasFlag, isSingle, leaseWithAddress, srcHi, srcLo, statusOf } from "./lease";
import { isBroadcast, isHeld } from "./occupancy";
import { MODE_SINGLE, SHARED_HEAD, firstPrefix, isDraining, nextPrefix, poolFamily, poolMode, prefixPool, prefixWith } from "./pool";
import { firstHi, firstLo } from "./tree";
import { ITEM_DST, ITEM_SRC, itemCount, itemFamily, itemHi, itemLo, itemPlace } from "./item";

// What was found.
export let foundDstHi: u64 = 0;
export let foundDstLo: u64 = 0;
export let foundSrcHi: u64 = 0;
export let foundSrcLo: u64 = 0;

function found(dHi: u64, dLo: u64, sHi: u64, sLo: u64): bool {
  foundDstHi = dHi;
  foundDstLo = dLo;
  foundSrcHi = sHi;
  foundSrcLo = sLo;
  return true;
}

/** Sees no excluded and no reserved address, and none that somebody has. */
function isUsable(pool: usize, family: u32, prefix: usize, hi: u64, lo: u64): bool {
  return !isHeld(family, hi, lo) && !isBroadcast(prefix, family, hi, lo) && !isExcluded(family, hi, lo) && !isReserved(pool, hi, lo);
}

let sharedHi: u64 = 0;
let sharedLo: u64 = 0;

/**
 * The endpoint's address for a `single` lease in this prefix: the first one in use that the request
 * can reach, else the lowest usable one that is not `avoid` (the client's own wish).
 */
function chooseShared(pool: usize, family: u32, prefix: usize, avoid: bool, avoidHi: u64, avoidLo: u64): bool {
  let shared = <usize>load<u32>(pool, SHARED_HEAD);
  while (shared != 0) {
    const hi = load<u64>(shared);
    const lo = load<u64>(shared, 8);
    if (prefixWith(family, hi, lo) == prefix && !isExcluded(family, hi, lo) && !isReserved(pool, hi, lo)) {
      sharedHi = hi;
      sharedLo = lo;
      return true;
    }
    shared = load<u32>(shared, NEXT_SHARED);
  }
  if (!lowestUsable(pool, family, prefix, firstHi(prefix), firstLo(prefix))) return false;
  if (avoid && same(resultHi, resultLo, avoidHi, avoidLo)) {
    if (!next(avoidHi, avoidLo) || !lowestUsable(pool, family, prefix, resultHi, resultLo)) return false;
  }
  sharedHi = resultHi;
  sharedLo = resultLo;
  return true;
}

/** The lowest usable addresses of the pool, prefix by prefix in the order of its definition. */
export function findLowest(pool: usize): bool {
  const family = poolFamily(pool);
  const single = poolMode(pool) == MODE_SINGLE;
  let prefix = firstPrefix(pool);
  while (prefix != 0) {
    if (single) {
      if (chooseShared(pool, family, prefix, false, 0, 0) && lowestUsable(pool, family, prefix, firstHi(prefix), firstLo(prefix))) {
        if (!same(resultHi, resultLo, sharedHi, sharedLo)) return found(sharedHi, sharedLo, resultHi, resultLo);
        if (next(resultHi, resultLo) && lowestUsable(pool, family, prefix, resultHi, resultLo)) return found(sharedHi, sharedLo, resultHi, resultLo);
      }
    } else if (lowestUsable(pool, family, prefix, firstHi(prefix), firstLo(prefix))) {
      const dHi = resultHi;
      const dLo = resultLo;
      if (next(dHi, dLo) && lowestUsable(pool, family, prefix, resultHi, resultLo)) return found(dHi, dLo, resultHi, resultLo);
    }
    prefix = nextPrefix(prefix);
  }
  return false;
}

/** Whether the client may have back what it had: an ended or cooling record of an open pool. */
export function findOwn(lease: usize, pool: usize): bool {
  if (isDraining(pool) || hasFlag(lease, STOLEN)) return false;
  const family = poolFamily(pool);
  const cooling = statusOf(lease) == COOLING;
  const sHi = srcHi(lease);
  const sLo = srcLo(lease);
  const prefix = prefixWith(family, sHi, sLo);
  if (prefix == 0 || prefixPool(prefix) != pool) return false;
  if (isExcluded(family, sHi, sLo) || isReserved(pool, sHi, sLo)) return false;
  if (!cooling && isHeld(family, sHi, sLo)) return false;
  // What it still holds may have become a broadcast address under a changed prefix.
  if (isBroadcast(prefix, family, sHi, sLo)) return false;
  const dHi = dstHi(lease);
  const dLo = dstLo(lease);
  if (isSingle(lease)) {
    // While it cools the record still holds its endpoint address, which serves on if the request allows.
    if (!chooseShared(pool, family, prefix, true, sHi, sLo)) return false;
    return found(sharedHi, sharedLo, sHi, sLo);
  }
  if (prefixWith(family, dHi, dLo) != prefix) return false;
  if (isExcluded(family, dHi, dLo) || isReserved(pool, dHi, dLo)) return false;
  if (!cooling && isHeld(family, dHi, dLo)) return false;
  return found(dHi, dLo, sHi, sLo);
}

/** Whether a remembered pair stands against this one: one address the same, the other not. */
function mixesPair(family: u32, hi: u64, lo: u64, mateHi: u64, mateLo: u64): bool {
  const lease = leaseWithAddress(family, hi, lo);
  if (lease == 0 || statusOf(lease) != ENDED || isSingle(lease)) return false;
  if (same(dstHi(lease), dstLo(lease), hi, lo)) return !same(srcHi(lease), srcLo(lease), mateHi, mateLo);
  return !same(dstHi(lease), dstLo(lease), mateHi, mateLo);
}

/** The next item of this place, from `from` on, that lies in the pool; itemCount if none. */
function nextInPool(place: u32, from: u32, pool: usize, family: u32): u32 {
  let i = from;
  while (i < itemCount) {
    if (itemPlace(i) == place && itemFamily(i) == family) {
      const prefix = prefixWith(family, itemHi(i), itemLo(i));
      if (prefix != 0 && prefixPool(prefix) == pool) return i;
    }
    i++;
  }
  return i;
}

/**
 * The first whole and free claim in the request's context. A pair is claimed as it stands: the n-th dst
 * of the pool with its n-th src, never two halves of different pairs.
 */
export function findClaim(pool: usize): bool {
  const family = poolFamily(pool);
  let i = nextInPool(ITEM_SRC, 0, pool, family);
  if (poolMode(pool) == MODE_SINGLE) {
    while (i < itemCount) {
      const hi = itemHi(i);
      const lo = itemLo(i);
      const prefix = prefixWith(family, hi, lo);
      if (isUsable(pool, family, prefix, hi, lo) && chooseShared(pool, family, prefix, true, hi, lo)) return found(sharedHi, sharedLo, hi, lo);
      i = nextInPool(ITEM_SRC, i + 1, pool, family);
    }
    return false;
  }
  let j = nextInPool(ITEM_DST, 0, pool, family);
  while (i < itemCount && j < itemCount) {
    const sHi = itemHi(i);
    const sLo = itemLo(i);
    const dHi = itemHi(j);
    const dLo = itemLo(j);
    const prefix = prefixWith(family, sHi, sLo);
    if (
      !same(sHi, sLo, dHi, dLo) &&
      prefixWith(family, dHi, dLo) == prefix &&
      isUsable(pool, family, prefix, sHi, sLo) &&
      isUsable(pool, family, prefix, dHi, dLo) &&
      !mixesPair(family, dHi, dLo, sHi, sLo) &&
      !mixesPair(family, sHi, sLo, dHi, dLo)
    ) {
      return found(dHi, dLo, sHi, sLo);
    }
    i = nextInPool(ITEM_SRC, i + 1, pool, family);
    j = nextInPool(ITEM_DST, j + 1, pool, family);
  }
  return false;
}
