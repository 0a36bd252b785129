// Who holds which addresses: the one place where addresses leave the free space and come back to it.
import { less } from "./address";
import { give, put32, take } from "./journal";
import {
  ENDED,
  STOLEN,
  UNCLOSED,
  clientOf,
  dropLease,
  dstHi,
  dstLo,
  familyOf,
  hasFlag,
  isSingle,
  leaseWithAddress,
  leaveAddresses,
  poolOf,
  setState,
  srcHi,
  srcLo,
  stateOf,
  statusOf,
} from "./lease";
import { dropClientIfIdle } from "./client";
import { free, freeCouple, hold, isBroadcast } from "./occupancy";
import { LIVE_HERE, SHARED_HEAD, prefixPool, prefixWith } from "./pool";
import { removeEnded } from "./queue";
import { lastHi, lastLo } from "./tree";
import { FAULT_ADDRESS_TAKEN, stop } from "./fault";

// An endpoint address that single-mode leases share: u64 hi, u64 lo, u32 users, u32 next.
const SHARED: u32 = 24;
const USERS: usize = 16;
export const NEXT_SHARED: usize = 20;

/** Forgets an ended record. Its addresses are free or somebody else's. */
export function forgetEnded(lease: usize): void {
  const client = clientOf(lease);
  removeEnded(lease);
  if (!hasFlag(lease, STOLEN)) leaveAddresses(lease);
  dropLease(lease);
  dropClientIfIdle(client);
}

/** The address goes to somebody: who remembered it remembers it no longer. */
function stealAddress(family: u32, hi: u64, lo: u64): void {
  const lease = leaseWithAddress(family, hi, lo);
  if (lease == 0) return;
  if (statusOf(lease) != ENDED) stop(FAULT_ADDRESS_TAKEN);
  if (hasFlag(lease, UNCLOSED)) {
    // Kept without addresses: its client is still owed the answer that it came too late.
    leaveAddresses(lease);
    setState(lease, stateOf(lease) | STOLEN);
  } else forgetEnded(lease);
}

function takeOne(family: u32, hi: u64, lo: u64): void {
  takeRun(family, hi, lo, lo);
}

/** Takes one address or two neighbours, all in one prefix. */
function takeRun(family: u32, hi: u64, first: u64, last: u64): void {
  stealAddress(family, hi, first);
  if (last != first) stealAddress(family, hi, last);
  const prefix = prefixWith(family, hi, first);
  if (prefix == 0 || less(lastHi(prefix), lastLo(prefix), hi, last) || isBroadcast(prefix, family, hi, last)) stop(FAULT_ADDRESS_TAKEN);
  hold(family, prefix, hi, first, last);
}

/** Whether a pair is two neighbours, as nearly all are: one step in every tree instead of two. */
// @ts-ignore: decorator
@inline
function isRun(dHi: u64, dLo: u64, sHi: u64, sLo: u64): bool {
  return dHi == sHi && sLo == dLo + 1 && sLo != 0;
}

/** Holds an address again that may lie in no prefix any more. */
export function holdOne(family: u32, hi: u64, lo: u64): void {
  hold(family, prefixWith(family, hi, lo), hi, lo, lo);
}

/** The pool's shared endpoint address record; 0 if it is not in use as one. */
export function sharedAddress(pool: usize, hi: u64, lo: u64): usize {
  let at = <usize>load<u32>(pool, SHARED_HEAD);
  while (at != 0 && !(load<u64>(at) == hi && load<u64>(at, 8) == lo)) at = load<u32>(at, NEXT_SHARED);
  return at;
}

function shareAddress(pool: usize, family: u32, hi: u64, lo: u64): void {
  const known = sharedAddress(pool, hi, lo);
  if (known != 0) {
    put32(known + USERS, load<u32>(known, USERS) + 1);
    return;
  }
  takeOne(family, hi, lo);
  linkShared(pool, hi, lo, 1);
}

/** Appends a shared address to the pool's list. */
export function linkShared(pool: usize, hi: u64, lo: u64, users: u32): void {
  const shared = take(SHARED);
  store<u64>(shared, hi);
  store<u64>(shared, lo, 8);
  store<u32>(shared, users, USERS);
  store<u32>(shared, 0, NEXT_SHARED);
  let link = pool + SHARED_HEAD;
  while (load<u32>(link) != 0) link = <usize>load<u32>(link) + NEXT_SHARED;
  put32(link, <u32>shared);
}

function unshareAddress(pool: usize, family: u32, hi: u64, lo: u64): void {
  let link = pool + SHARED_HEAD;
  while (true) {
    const at = <usize>load<u32>(link);
    if (at == 0) stop(FAULT_ADDRESS_TAKEN);
    if (load<u64>(at) == hi && load<u64>(at, 8) == lo) {
      const users = load<u32>(at, USERS) - 1;
      if (users != 0) {
        put32(at + USERS, users);
        return;
      }
      put32(link, load<u32>(at, NEXT_SHARED));
      give(at, SHARED);
      free(family, hi, lo);
      return;
    }
    link = at + NEXT_SHARED;
  }
}

/** Counts a shared address as used once more, or once less but never down to nothing. */
export function pinShared(shared: usize, by: i32): void {
  put32(shared + USERS, load<u32>(shared, USERS) + by);
}

export function sharedUsers(shared: usize): u32 {
  return load<u32>(shared, USERS);
}

/** Takes a lease's addresses out of the free space. Stops the program if somebody has one of them. */
export function holdAddresses(pool: usize, family: u32, single: bool, dHi: u64, dLo: u64, sHi: u64, sLo: u64): void {
  if (single) shareAddress(pool, family, dHi, dLo);
  else if (isRun(dHi, dLo, sHi, sLo)) {
    takeRun(family, dHi, dLo, sLo);
    return;
  } else takeOne(family, dHi, dLo);
  takeOne(family, sHi, sLo);
}

/** Gives the addresses of a live or cooling lease back. */
export function freeAddresses(lease: usize): void {
  const family = familyOf(lease);
  const dHi = dstHi(lease);
  const dLo = dstLo(lease);
  const sHi = srcHi(lease);
  const sLo = srcLo(lease);
  if (isSingle(lease)) unshareAddress(poolOf(lease), family, dHi, dLo);
  else if (isRun(dHi, dLo, sHi, sLo)) {
    const prefix = prefixWith(family, dHi, dLo);
    // A change of prefixes may have divided the pair.
    if (prefix != 0 && !less(lastHi(prefix), lastLo(prefix), sHi, sLo)) {
      freeCouple(family, prefix, dHi, dLo, sLo);
      return;
    }
    free(family, dHi, dLo);
  } else free(family, dHi, dLo);
  free(family, sHi, sLo);
}

/** Undoes `freeAddresses`: the lease holds what it held. */
export function holdAgain(lease: usize): void {
  const family = familyOf(lease);
  if (isSingle(lease)) {
    const pool = poolOf(lease);
    const shared = sharedAddress(pool, dstHi(lease), dstLo(lease));
    if (shared != 0) put32(shared + USERS, load<u32>(shared, USERS) + 1);
    else {
      holdOne(family, dstHi(lease), dstLo(lease));
      linkShared(pool, dstHi(lease), dstLo(lease), 1);
    }
  } else holdOne(family, dstHi(lease), dstLo(lease));
  holdOne(family, srcHi(lease), srcLo(lease));
}

/** Counts the lease at the prefix it is in, if both its addresses are in prefixes of its own pool. */
export function countHere(lease: usize, by: i32): void {
  const family = familyOf(lease);
  const pool = poolOf(lease);
  const prefix = prefixWith(family, srcHi(lease), srcLo(lease));
  if (prefix == 0 || prefixPool(prefix) != pool) return;
  const other = prefixWith(family, dstHi(lease), dstLo(lease));
  if (other != prefix && (other == 0 || prefixPool(other) != pool)) return;
  put32(prefix + LIVE_HERE, load<u32>(prefix, LIVE_HERE) + by);
}
