// Pools and their prefixes. Who holds which address is the realm's business, see occupancy.ts.
import { V4, hostMask, resultHi, resultLo } from "./address";
import { put32, put64, take, give } from "./journal";
import { POOLS, POOL_COUNT, POOL_HEAD, PREFIX_ROOT_4, PREFIX_ROOT_6 } from "./layout";
import { digestText, dropText, keepText, textIs } from "./text";
import { addEntry, firstMatch, nextMatch, removeEntry } from "./table";
import { FIRST_HI, FIRST_LO, LAST_HI, LAST_LO, PRIORITY, nextPriority, nodeWith } from "./tree";

export const MODE_PAIR: u32 = 0;
export const MODE_SINGLE: u32 = 1;
export const MODE_PREFIX: u32 = 2;

const NAME: usize = 0;
const HASH: usize = 8;
/** Next pool in the list of all. */
export const FOLLOWING: usize = 12;
const REVISION: usize = 16;
const MODE: usize = 24;
const FAMILY: usize = 28;
const DRAINING: usize = 32;
const LEASE_SECONDS: usize = 36;
const GRACE_SECONDS: usize = 40;
const COOLDOWN_SECONDS: usize = 44;
export const PREFIX_HEAD: usize = 48;
/** Sorted, merged ranges the pool never hands out: 32 bytes each (first, last). */
const RESERVED: usize = 52;
const RESERVED_COUNT: usize = 56;
/** The settings as the commands and events spell them, for before and after. */
const SETTINGS: usize = 60;
const SETTINGS_LENGTH: usize = 64;
export const LIVE_LEASES: usize = 68;
export const COOLING_LEASES: usize = 72;
/** Queues of live leases, one for each opening of the realm that they were last seen in (see queue.ts). */
export const EXPIRY_QUEUES: usize = 76;
/** Root of the queue of cooling leases, ordered by second. */
export const COOLING_ROOT: usize = 80;
/** Endpoint addresses in use (single mode), in the order taken. */
export const SHARED_HEAD: usize = 84;
const POOL: u32 = 88;

// A prefix: a tree node (48 bytes), then its own facts.
const OF_POOL: usize = 48;
export const NEXT_PREFIX: usize = 52;
const LENGTH: usize = 56;
/** Root of the runs of addresses that are held without a gap, in whole blocks (occupancy.ts). */
export const FULL_ROOT: usize = 60;
/** Addresses in it that are held, by whichever pool's leases. */
export const HELD: usize = 64;
/** Live leases of its own pool in it. */
export const LIVE_HERE: usize = 68;
const PREFIX: u32 = 72;

// @ts-ignore: decorator
@inline
export function poolName(pool: usize): usize {
  return load<u32>(pool, NAME);
}
// @ts-ignore: decorator
@inline
export function poolRevision(pool: usize): u64 {
  return load<u64>(pool, REVISION);
}
// @ts-ignore: decorator
@inline
export function poolMode(pool: usize): u32 {
  return load<u32>(pool, MODE);
}
// @ts-ignore: decorator
@inline
export function poolFamily(pool: usize): u32 {
  return load<u32>(pool, FAMILY);
}
// @ts-ignore: decorator
@inline
export function isDraining(pool: usize): bool {
  return load<u32>(pool, DRAINING) != 0;
}
// @ts-ignore: decorator
@inline
export function leaseMs(pool: usize): u64 {
  return <u64>load<u32>(pool, LEASE_SECONDS) * 1000;
}
// @ts-ignore: decorator
@inline
export function graceMs(pool: usize): u64 {
  return <u64>load<u32>(pool, GRACE_SECONDS) * 1000;
}
// @ts-ignore: decorator
@inline
export function cooldownMs(pool: usize): u64 {
  return <u64>load<u32>(pool, COOLDOWN_SECONDS) * 1000;
}
// @ts-ignore: decorator
@inline
export function firstPrefix(pool: usize): usize {
  return load<u32>(pool, PREFIX_HEAD);
}
// @ts-ignore: decorator
@inline
export function nextPrefix(prefix: usize): usize {
  return load<u32>(prefix, NEXT_PREFIX);
}
// @ts-ignore: decorator
@inline
export function prefixPool(prefix: usize): usize {
  return load<u32>(prefix, OF_POOL);
}
// @ts-ignore: decorator
@inline
export function prefixLength(prefix: usize): u32 {
  return load<u32>(prefix, LENGTH);
}
// @ts-ignore: decorator
@inline
export function reservedRanges(pool: usize): usize {
  return load<u32>(pool, RESERVED);
}
// @ts-ignore: decorator
@inline
export function reservedCount(pool: usize): u32 {
  return load<u32>(pool, RESERVED_COUNT);
}
// @ts-ignore: decorator
@inline
export function settingsOf(pool: usize): usize {
  return load<u32>(pool, SETTINGS);
}
// @ts-ignore: decorator
@inline
export function settingsLength(pool: usize): u32 {
  return load<u32>(pool, SETTINGS_LENGTH);
}

// @ts-ignore: decorator
@inline
export function prefixRoot(family: u32): usize {
  return family == V4 ? PREFIX_ROOT_4 : PREFIX_ROOT_6;
}

/** The realm's present prefix that holds the address; 0 if none. */
// @ts-ignore: decorator
@inline
export function prefixWith(family: u32, hi: u64, lo: u64): usize {
  return nodeWith(prefixRoot(family), hi, lo);
}

let lastFound: usize = 0;

export function findPool(at: usize, length: u32): usize {
  // Replay names the same pool again and again.
  if (lastFound != 0 && textIs(poolName(lastFound), at, length)) return lastFound;
  const hash = <u32>digestText(at, length);
  let pool = firstMatch(POOLS, hash);
  while (pool != 0 && !textIs(poolName(pool), at, length)) pool = nextMatch(hash);
  lastFound = pool;
  return pool;
}

/** The cache above must not survive a pool's end or an undo. */
export function forgetFoundPool(): void {
  lastFound = 0;
}

export function newPool(at: usize, length: u32): usize {
  const pool = take(POOL);
  memory.fill(pool, 0, POOL);
  const hash = <u32>digestText(at, length);
  store<u32>(pool, hash, HASH);
  store<u32>(pool, <u32>keepText(at, length), NAME);
  put32(pool + FOLLOWING, load<u32>(POOL_HEAD));
  put32(POOL_HEAD, <u32>pool);
  put32(POOL_COUNT, load<u32>(POOL_COUNT) + 1);
  addEntry(POOLS, hash, pool);
  return pool;
}

/** Forgets a pool; its prefixes and leases are gone already. */
export function dropPool(pool: usize): void {
  forgetFoundPool();
  removeEntry(POOLS, load<u32>(pool, HASH), pool);
  let link: usize = POOL_HEAD;
  while (<usize>load<u32>(link) != pool) link = <usize>load<u32>(link) + FOLLOWING;
  put32(link, load<u32>(pool, FOLLOWING));
  put32(POOL_COUNT, load<u32>(POOL_COUNT) - 1);
  dropText(poolName(pool));
  if (settingsOf(pool) != 0) give(settingsOf(pool), settingsLength(pool));
  if (reservedCount(pool) != 0) give(reservedRanges(pool), reservedCount(pool) * 32);
  give(pool, POOL);
}

/** Keeps the settings' own spelling and the plain ones among them. */
export function setSettings(pool: usize, at: usize, length: u32, mode: u32, family: u32, draining: bool, lease: u32, grace: u32, cooldown: u32): void {
  if (settingsOf(pool) != 0) give(settingsOf(pool), settingsLength(pool));
  const settings = take(length);
  memory.copy(settings, at, length);
  put32(pool + SETTINGS, <u32>settings);
  put32(pool + SETTINGS_LENGTH, length);
  put32(pool + MODE, mode);
  put32(pool + FAMILY, family);
  put32(pool + DRAINING, draining ? 1 : 0);
  put32(pool + LEASE_SECONDS, lease);
  put32(pool + GRACE_SECONDS, grace);
  put32(pool + COOLDOWN_SECONDS, cooldown);
}

/** Takes over a block of sorted ranges. */
export function setReserved(pool: usize, ranges: usize, count: u32): void {
  if (reservedCount(pool) != 0) give(reservedRanges(pool), reservedCount(pool) * 32);
  put32(pool + RESERVED, <u32>ranges);
  put32(pool + RESERVED_COUNT, count);
}

export function setRevision(pool: usize, position: u64): void {
  put64(pool + REVISION, position);
}

/** A prefix record with nothing in it, in no list and no tree. */
export function newPrefix(pool: usize, family: u32, hi: u64, lo: u64, length: u32): usize {
  const prefix = take(PREFIX);
  memory.fill(prefix, 0, PREFIX);
  store<u32>(prefix, nextPriority(), PRIORITY);
  store<u64>(prefix, hi, FIRST_HI);
  store<u64>(prefix, lo, FIRST_LO);
  hostMask(family, length);
  store<u64>(prefix, hi | resultHi, LAST_HI);
  store<u64>(prefix, lo | resultLo, LAST_LO);
  store<u32>(prefix, <u32>pool, OF_POOL);
  store<u32>(prefix, length, LENGTH);
  return prefix;
}

export function dropPrefix(prefix: usize): void {
  give(prefix, PREFIX);
}
