// Changing the prefixes of a pool: what leaves, what comes, and what is held in it already.
import { V4 } from "./address";
import { put32 } from "./journal";
import { COOLING_COUNT, ENDED_HEAD, LEASES, POOL_HEAD } from "./layout";
import { NEXT_SHARED, countHere, forgetEnded } from "./holding";
import { ENDED, LIVE, QUEUE_NEXT, dstHi, dstLo, familyOf, isSingle, poolOf, srcHi, srcLo, statusOf } from "./lease";
import {
  FOLLOWING,
  FREE_ROOT,
  ISSUED_ROOT,
  LIVE_HERE,
  LIVE_LEASES,
  MODE_SINGLE,
  NEXT_PREFIX,
  PREFIX_HEAD,
  SHARED_HEAD,
  dropPrefix,
  firstPrefix,
  formerRoot,
  newPrefix,
  nextPrefix,
  poolFamily,
  poolMode,
  prefixLength,
  prefixRoot,
  prefixWith,
} from "./pool";
import { BRIEF_WALK, nextOfWalk, startWalk } from "./table";
import { clearTree, dropNode, firstHi, firstLo, insertNode, lastHi, lastLo, lowestNode, nodeWith, putRange, putSpan, takeAddress, unhookNode } from "./tree";
import { settingsAddress, settingsHi, settingsLength, settingsLo, settingsPrefixes } from "./settings";

/** Marks prefixes that came with the running change; in the spare field of their tree node. */
const FRESH_MARK: usize = 12;

/** Forgets the remembered leases of a pool that can no longer give them back. */
export function forgetEndedOf(pool: usize): void {
  let lease = <usize>load<u32>(ENDED_HEAD);
  while (lease != 0) {
    const next = <usize>load<u32>(lease, QUEUE_NEXT);
    if (poolOf(lease) == pool) forgetEnded(lease);
    lease = next;
  }
}

/** Takes a prefix out of the realm. What was issued from it stays known. */
function removePrefix(prefix: usize, family: u32): void {
  const issued = prefix + ISSUED_ROOT;
  while (true) {
    const range = lowestNode(issued);
    if (range == 0) break;
    putRange(formerRoot(family), firstHi(range), firstLo(range), lastHi(range), lastLo(range));
    dropNode(issued, range);
  }
  clearTree(prefix + FREE_ROOT);
  unhookNode(prefixRoot(family), prefix);
  dropPrefix(prefix);
}

function isWanted(prefix: usize): bool {
  for (let i: u32 = 0; i < settingsPrefixes; i++) {
    settingsAddress(i);
    if (settingsHi == firstHi(prefix) && settingsLo == firstLo(prefix) && settingsLength == prefixLength(prefix)) return true;
  }
  return false;
}

/** Removes every prefix of the pool. */
export function removePrefixes(pool: usize): void {
  const family = poolFamily(pool);
  let prefix = firstPrefix(pool);
  while (prefix != 0) {
    const next = nextPrefix(prefix);
    removePrefix(prefix, family);
    prefix = next;
  }
  put32(pool + PREFIX_HEAD, 0);
}

/** Removes the prefixes that the opened settings do not name. */
export function removeUnwanted(pool: usize): void {
  const family = poolFamily(pool);
  let link = pool + PREFIX_HEAD;
  while (true) {
    const prefix = <usize>load<u32>(link);
    if (prefix == 0) return;
    if (isWanted(prefix)) {
      link = prefix + NEXT_PREFIX;
      continue;
    }
    put32(link, <u32>nextPrefix(prefix));
    removePrefix(prefix, family);
  }
}

function startFree(prefix: usize, family: u32, single: bool): void {
  const free = prefix + FREE_ROOT;
  const aHi = firstHi(prefix);
  const aLo = firstLo(prefix);
  const bHi = lastHi(prefix);
  const bLo = lastLo(prefix);
  if (single && family == V4) {
    // The broadcast address is nobody's (sdk#1430).
    if (aLo == bLo) return;
    putRange(free, aHi, aLo, bHi, bLo - 1);
  } else putRange(free, aHi, aLo, bHi, bLo);
}

/** Gives the pool the opened settings' prefixes, in their order. Those it has keep what is in them. */
export function addWanted(pool: usize): void {
  const family = poolFamily(pool);
  const single = poolMode(pool) == MODE_SINGLE;
  let link = pool + PREFIX_HEAD;
  let fresh = false;
  for (let i: u32 = 0; i < settingsPrefixes; i++) {
    settingsAddress(i);
    let prefix = prefixWith(family, settingsHi, settingsLo);
    if (prefix == 0) {
      prefix = newPrefix(pool, family, settingsHi, settingsLo, settingsLength);
      store<u32>(prefix, 1, FRESH_MARK);
      insertNode(prefixRoot(family), prefix);
      startFree(prefix, family, single);
      fresh = true;
    }
    put32(link, <u32>prefix);
    link = prefix + NEXT_PREFIX;
  }
  put32(link, 0);
  if (!fresh) return;
  if (someHeldOutside()) claimHeld();
  let prefix = firstPrefix(pool);
  while (prefix != 0) {
    store<u32>(prefix, 0, FRESH_MARK);
    prefix = nextPrefix(prefix);
  }
}

/** Whether some lease may hold addresses outside the prefixes counted so far. */
function someHeldOutside(): bool {
  if (load<u32>(COOLING_COUNT) != 0) return true;
  let pool = <usize>load<u32>(POOL_HEAD);
  while (pool != 0) {
    if (leasesOutside(pool) != 0) return true;
    pool = load<u32>(pool, FOLLOWING);
  }
  return false;
}

/** Live leases of the pool that are in none of its present prefixes. */
export function leasesOutside(pool: usize): u32 {
  let inside: u32 = 0;
  let prefix = firstPrefix(pool);
  while (prefix != 0) {
    inside += load<u32>(prefix, LIVE_HERE);
    prefix = nextPrefix(prefix);
  }
  return load<u32>(pool, LIVE_LEASES) - inside;
}

function claimOne(family: u32, hi: u64, lo: u64): void {
  const prefix = prefixWith(family, hi, lo);
  if (prefix == 0 || load<u32>(prefix, FRESH_MARK) == 0) return;
  if (nodeWith(prefix + FREE_ROOT, hi, lo) != 0) takeAddress(prefix + FREE_ROOT, hi, lo);
  putSpan(prefix + ISSUED_ROOT, hi, lo, hi, lo);
}

function claimLease(lease: usize): void {
  const family = familyOf(lease);
  if (!isSingle(lease)) claimOne(family, dstHi(lease), dstLo(lease));
  claimOne(family, srcHi(lease), srcLo(lease));
}

/** Counts anew which live leases of the pool are in which of its prefixes: a look at every lease. */
export function countLeases(pool: usize): void {
  if (load<u32>(pool, LIVE_LEASES) == 0) return;
  let prefix = firstPrefix(pool);
  while (prefix != 0) {
    put32(prefix + LIVE_HERE, 0);
    prefix = nextPrefix(prefix);
  }
  startWalk(BRIEF_WALK, LEASES);
  let lease = nextOfWalk(BRIEF_WALK);
  while (lease != 0) {
    if (statusOf(lease) == LIVE && poolOf(lease) == pool) countHere(lease, 1);
    lease = nextOfWalk(BRIEF_WALK);
  }
}

/** Takes what leases hold inside fresh prefixes out of their free space. */
function claimHeld(): void {
  startWalk(BRIEF_WALK, LEASES);
  let lease = nextOfWalk(BRIEF_WALK);
  while (lease != 0) {
    if (statusOf(lease) != ENDED) claimLease(lease);
    lease = nextOfWalk(BRIEF_WALK);
  }
  let pool = <usize>load<u32>(POOL_HEAD);
  while (pool != 0) {
    let shared = <usize>load<u32>(pool, SHARED_HEAD);
    while (shared != 0) {
      claimOne(poolFamily(pool), load<u64>(shared), load<u64>(shared, 8));
      shared = load<u32>(shared, NEXT_SHARED);
    }
    pool = load<u32>(pool, FOLLOWING);
  }
}
