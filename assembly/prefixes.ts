// Changing the prefixes of a pool: what leaves, what comes, and what is held in it already.
import { put32 } from "./journal";
import { COOLING_COUNT, ENDED_HEAD, LEASES, POOL_HEAD } from "./layout";
import { countHere, forgetEnded } from "./holding";
import { LIVE, QUEUE_NEXT, poolOf, statusOf } from "./lease";
import { countHeld } from "./occupancy";
import { FOLLOWING, FULL_ROOT, LIVE_HERE, LIVE_LEASES, NEXT_PREFIX, PREFIX_HEAD, dropPrefix, firstPrefix, newPrefix, nextPrefix, poolFamily, prefixLength, prefixRoot, prefixWith } from "./pool";
import { BRIEF_WALK, nextOfWalk, startWalk } from "./table";
import { clearTree, firstHi, firstLo, insertNode, unhookNode } from "./tree";
import { settingsAddress, settingsHi, settingsLength, settingsLo, settingsPrefixes } from "./settings";

/** Forgets the remembered leases of a pool that can no longer give them back. */
export function forgetEndedOf(pool: usize): void {
  let lease = <usize>load<u32>(ENDED_HEAD);
  while (lease != 0) {
    const next = <usize>load<u32>(lease, QUEUE_NEXT);
    if (poolOf(lease) == pool) forgetEnded(lease);
    lease = next;
  }
}

/** Takes a prefix out of the realm. What is held in it and what was issued from it stays known. */
function removePrefix(prefix: usize, family: u32): void {
  clearTree(prefix + FULL_ROOT);
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

/** Gives the pool the opened settings' prefixes, in their order. Those it has stay as they are. */
export function addWanted(pool: usize): void {
  const family = poolFamily(pool);
  // Before the list is laid anew: meanwhile it may run in a circle.
  const held = someHeldOutside();
  let link = pool + PREFIX_HEAD;
  for (let i: u32 = 0; i < settingsPrefixes; i++) {
    settingsAddress(i);
    let prefix = prefixWith(family, settingsHi, settingsLo);
    if (prefix == 0) {
      prefix = newPrefix(pool, family, settingsHi, settingsLo, settingsLength);
      insertNode(prefixRoot(family), prefix);
      if (held) countHeld(prefix, family);
    }
    put32(link, <u32>prefix);
    link = prefix + NEXT_PREFIX;
  }
  put32(link, 0);
}

/** Whether some lease may hold addresses outside the present prefixes. */
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
