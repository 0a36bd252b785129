// The record of one lease, live or remembered, and the ways to find it: by number, by address, by client.
//
// 56 bytes and the two addresses behind them: 8 bytes for IPv4, 24 for IPv6 with one high half for both,
// 32 where the halves differ. With its share of the tables a lease stays within its budget of 128 bytes.
import { V4 } from "./address";
import { mix } from "./digest";
import { give, put32, put64, take } from "./journal";
import { ADDRESSES, LEASES } from "./layout";
import { addEntry, firstMatch, nextMatch, removeEntry } from "./table";
import { firstLease, setFirstLease } from "./client";

const ID: usize = 0;
const EXPIRES: usize = 8;
const CONNECTION: usize = 16;
const CLIENT: usize = 24;
const POOL: usize = 28;
const ENDPOINT: usize = 32;
const STATE: usize = 36;
const NEXT_OF_CLIENT: usize = 40;
export const QUEUE_NEXT: usize = 44;
export const QUEUE_BACK: usize = 48;
const ADDRESS: usize = 56;
const BYTES_4: u32 = 64;
const BYTES_6: u32 = 80;
const BYTES_6_WIDE: u32 = 88;

export const LIVE: u32 = 0;
export const ENDED: u32 = 1;
export const COOLING: u32 = 2;

// The state word: 12 bits of facts, above them how often the realm had been opened when last asked for.
const STATUS_MASK: u32 = 3;
const IS_V6: u32 = 4;
const IS_SINGLE: u32 = 8;
/** Nothing but its grant has happened to it: a cancel still undoes it. */
export const FRESH: u32 = 16;
/** Ended by time and not closed since: a refresh is told that it came too late. */
export const UNCLOSED: u32 = 32;
/** Ended, and somebody else has one of its addresses now. */
export const STOLEN: u32 = 64;
/** Its addresses are the client's own of before: a cancel leaves them remembered. */
export const OWN: u32 = 128;
/** The two addresses differ in their high halves. */
const IS_WIDE: u32 = 256;
const OPENS_SHIFT: u32 = 12;
export const OPENS_MASK: u32 = 0xfffff;

// @ts-ignore: decorator
@inline
export function leaseId(lease: usize): u64 {
  return load<u64>(lease, ID);
}
// @ts-ignore: decorator
@inline
export function expiresAt(lease: usize): u64 {
  return load<u64>(lease, EXPIRES);
}
// @ts-ignore: decorator
@inline
export function connectionOf(lease: usize): u64 {
  return load<u64>(lease, CONNECTION);
}
// @ts-ignore: decorator
@inline
export function clientOf(lease: usize): usize {
  return load<u32>(lease, CLIENT);
}
// @ts-ignore: decorator
@inline
export function poolOf(lease: usize): usize {
  return load<u32>(lease, POOL);
}
// @ts-ignore: decorator
@inline
export function endpointOf(lease: usize): usize {
  return load<u32>(lease, ENDPOINT);
}
// @ts-ignore: decorator
@inline
export function stateOf(lease: usize): u32 {
  return load<u32>(lease, STATE);
}
// @ts-ignore: decorator
@inline
export function statusOf(lease: usize): u32 {
  return load<u32>(lease, STATE) & STATUS_MASK;
}
// @ts-ignore: decorator
@inline
export function hasFlag(lease: usize, flag: u32): bool {
  return (load<u32>(lease, STATE) & flag) != 0;
}
// @ts-ignore: decorator
@inline
export function familyOf(lease: usize): u32 {
  return (load<u32>(lease, STATE) & IS_V6) != 0 ? 6 : 4;
}
// @ts-ignore: decorator
@inline
export function isSingle(lease: usize): bool {
  return (load<u32>(lease, STATE) & IS_SINGLE) != 0;
}
// @ts-ignore: decorator
@inline
export function opensSeen(lease: usize): u32 {
  return load<u32>(lease, STATE) >> OPENS_SHIFT;
}
// @ts-ignore: decorator
@inline
export function nextOfClient(lease: usize): usize {
  return load<u32>(lease, NEXT_OF_CLIENT);
}
// @ts-ignore: decorator
@inline
export function dstHi(lease: usize): u64 {
  return (load<u32>(lease, STATE) & IS_V6) != 0 ? load<u64>(lease, ADDRESS) : 0;
}
// @ts-ignore: decorator
@inline
export function dstLo(lease: usize): u64 {
  return (load<u32>(lease, STATE) & IS_V6) != 0 ? load<u64>(lease, ADDRESS + 8) : load<u32>(lease, ADDRESS);
}
// @ts-ignore: decorator
@inline
export function srcHi(lease: usize): u64 {
  const state = load<u32>(lease, STATE);
  if ((state & IS_V6) == 0) return 0;
  return (state & IS_WIDE) != 0 ? load<u64>(lease, ADDRESS + 24) : load<u64>(lease, ADDRESS);
}
// @ts-ignore: decorator
@inline
export function srcLo(lease: usize): u64 {
  return (load<u32>(lease, STATE) & IS_V6) != 0 ? load<u64>(lease, ADDRESS + 16) : load<u32>(lease, ADDRESS + 4);
}

export function setState(lease: usize, state: u32): void {
  put32(lease + STATE, state);
}
export function setStatus(lease: usize, status: u32, flags: u32): void {
  const kept = load<u32>(lease, STATE) & ~(STATUS_MASK | FRESH | UNCLOSED | STOLEN | OWN);
  put32(lease + STATE, kept | status | flags);
}
export function setExpires(lease: usize, at: u64): void {
  put64(lease + EXPIRES, at);
}

/** A refresh or heal came: who asks now, and that its grant is no longer fresh. */
export function setSeen(lease: usize, connection: u64, endpoint: usize, opens: u32): void {
  if (load<u64>(lease, CONNECTION) != connection) put64(lease + CONNECTION, connection);
  if (load<u32>(lease, ENDPOINT) != <u32>endpoint) put32(lease + ENDPOINT, <u32>endpoint);
  const facts = load<u32>(lease, STATE) & ((1 << OPENS_SHIFT) - 1) & ~(FRESH | OWN);
  const state = facts | ((opens & OPENS_MASK) << OPENS_SHIFT);
  if (load<u32>(lease, STATE) != state) put32(lease + STATE, state);
}

// --- by number -----------------------------------------------------------------------------------

/** The record with this number; 0 if there is none. */
export function findLease(id: u64): usize {
  // Numbers are dense: the plain number spreads perfectly and keeps neighbours together.
  let at = firstMatch(LEASES, <u32>id);
  while (at != 0 && load<u64>(at, ID) != id) at = nextMatch(<u32>id);
  return at;
}

// --- by address ----------------------------------------------------------------------------------
// Entries stand for couples of addresses (those that differ in the last bit only): the usual pair is one
// entry. Eight couples share a neighbourhood of buckets, so that sequences hit neighbouring lines.

// @ts-ignore: decorator
@inline
function coupleHash(hi: u64, lo: u64): u32 {
  return ((<u32>mix(hi ^ (lo >> 4))) << 3) | (<u32>(lo >> 1) & 7);
}

/** The record that has the address as its own, live, cooling or remembered; 0 if none. */
export function leaseWithAddress(family: u32, hi: u64, lo: u64): usize {
  const hash = coupleHash(hi, lo);
  let lease = firstMatch(ADDRESSES, hash);
  while (lease != 0) {
    if (familyOf(lease) == family) {
      if (srcLo(lease) == lo && srcHi(lease) == hi) return lease;
      if (dstLo(lease) == lo && dstHi(lease) == hi && !isSingle(lease)) return lease;
    }
    lease = nextMatch(hash);
  }
  return 0;
}

/** Enters the record under its addresses; a `single` lease owns only its src. */
export function enterAddresses(lease: usize): void {
  const src = coupleHash(srcHi(lease), srcLo(lease));
  addEntry(ADDRESSES, src, lease);
  if (isSingle(lease)) return;
  const dst = coupleHash(dstHi(lease), dstLo(lease));
  if (dst != src) addEntry(ADDRESSES, dst, lease);
}

export function leaveAddresses(lease: usize): void {
  const src = coupleHash(srcHi(lease), srcLo(lease));
  removeEntry(ADDRESSES, src, lease);
  if (isSingle(lease)) return;
  const dst = coupleHash(dstHi(lease), dstLo(lease));
  if (dst != src) removeEntry(ADDRESSES, dst, lease);
}

// --- making and dropping -------------------------------------------------------------------------

function sizeOf(state: u32): u32 {
  if ((state & IS_V6) == 0) return BYTES_4;
  return (state & IS_WIDE) != 0 ? BYTES_6_WIDE : BYTES_6;
}

/** A record in no table and no list yet. Its addresses stay what they are. */
export function newLease(
  id: u64,
  family: u32,
  single: bool,
  client: usize,
  pool: usize,
  endpoint: usize,
  connection: u64,
  opens: u32,
  flags: u32,
  expires: u64,
  dHi: u64,
  dLo: u64,
  sHi: u64,
  sLo: u64,
): usize {
  const kind = (family == V4 ? 0 : dHi == sHi ? IS_V6 : IS_V6 | IS_WIDE) | (single ? IS_SINGLE : 0);
  const state = kind | flags | ((opens & OPENS_MASK) << OPENS_SHIFT);
  const lease = take(sizeOf(state));
  store<u64>(lease, id, ID);
  store<u64>(lease, expires, EXPIRES);
  store<u64>(lease, connection, CONNECTION);
  store<u32>(lease, <u32>client, CLIENT);
  store<u32>(lease, <u32>pool, POOL);
  store<u32>(lease, <u32>endpoint, ENDPOINT);
  store<u32>(lease, state, STATE);
  store<u32>(lease, 0, NEXT_OF_CLIENT);
  store<u32>(lease, 0, QUEUE_NEXT);
  store<u32>(lease, 0, QUEUE_BACK);
  if (family == V4) {
    store<u32>(lease, <u32>dLo, ADDRESS);
    store<u32>(lease, <u32>sLo, ADDRESS + 4);
  } else {
    store<u64>(lease, dHi, ADDRESS);
    store<u64>(lease, dLo, ADDRESS + 8);
    store<u64>(lease, sLo, ADDRESS + 16);
    if (dHi != sHi) store<u64>(lease, sHi, ADDRESS + 24);
  }
  return lease;
}

/** Enters the record under its number and at its client. */
export function enterLease(lease: usize): void {
  addEntry(LEASES, <u32>leaseId(lease), lease);
  const client = clientOf(lease);
  put32(lease + NEXT_OF_CLIENT, <u32>firstLease(client));
  setFirstLease(client, lease);
}

/** Takes the record out of both and frees it. It is in no queue and under no address any more. */
export function dropLease(lease: usize): void {
  removeEntry(LEASES, <u32>leaseId(lease), lease);
  const client = clientOf(lease);
  if (firstLease(client) == lease) setFirstLease(client, nextOfClient(lease));
  else {
    let at = firstLease(client);
    while (nextOfClient(at) != lease) at = nextOfClient(at);
    put32(at + NEXT_OF_CLIENT, <u32>nextOfClient(lease));
  }
  give(lease, sizeOf(stateOf(lease)));
}
