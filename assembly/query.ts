// Reads of the state as it is. They change nothing and write no event.
import { V4, less, next, resultHi, resultLo } from "./address";
import { allocate } from "./arena";
import { clientId, clientIdLength, clientName, clientNameLength, findClient, firstLease, identityHash } from "./client";
import { FOLLOWING_ENDPOINT, endpointName, endpointRevision, endpointSettings, endpointSettingsLength, findEndpoint, isDefined } from "./endpoint";
import { effectiveExpiry } from "./evolve";
import { FAULT_INPUT, FAULT_MEMORY, stop } from "./fault";
import { ENDPOINT_HEAD, LEASES, POOL_HEAD, POSITION } from "./layout";
import {
  COOLING,
  ENDED,
  FRESH,
  LIVE,
  OWN,
  STOLEN,
  UNCLOSED,
  clientOf,
  connectionOf,
  dstHi,
  dstLo,
  endpointOf,
  expiresAt,
  familyOf,
  findLease,
  hasFlag,
  isSingle,
  leaseId,
  leaseWithAddress,
  nextOfClient,
  poolOf,
  srcHi,
  srcLo,
  statusOf,
} from "./lease";
import { heldWithin, isBroadcast, isHeld } from "./occupancy";
import {
  COOLING_LEASES,
  FOLLOWING,
  HELD,
  LIVE_LEASES,
  findPool,
  firstPrefix,
  nextPrefix,
  poolFamily,
  poolName,
  poolRevision,
  reservedCount,
  reservedRanges,
  settingsLength,
  settingsOf,
} from "./pool";
import { leasesOutside } from "./prefixes";
import { answersAt, closeAnswer, openAnswer, openInput, readAddress, readHi, readLo, readText16, readU16, readU32, readU64, readU8, roomForOutput, startOutput, textSize, widenAnswer, writeAddress, writeBytes, writeText8, writeU32, writeU64, writeU8 } from "./record";
import { BRIEF_WALK, nextOfWalk, startWalk } from "./table";
import { compareBytes, textBytes, textLength } from "./text";
import { firstHi, firstLo, lastHi, lastLo } from "./tree";

const ONE_POOL: u32 = 1;
const POOLS_PAGE: u32 = 2;
const ONE_ENDPOINT: u32 = 3;
const ENDPOINTS_PAGE: u32 = 4;
const ONE_LEASE: u32 = 5;
const LEASES_PAGE: u32 = 6;

export const PAGE_MAX: u32 = 1000;
const VIEW_MAX: u32 = 65536;

const STATE_LIVE: u32 = 0;
const STATE_EXPIRED: u32 = 1;
const STATE_ENDED: u32 = 2;
const STATE_COOLING: u32 = 3;
const ANY: u32 = 255;

let now: u64 = 0;
let written: u32 = 0;

// --- pools -----------------------------------------------------------------------------------------------

let freeHi: u64 = 0;
let freeLo: u64 = 0;

function addSpan(aHi: u64, aLo: u64, bHi: u64, bLo: u64): void {
  // Addresses from a to b, both included, onto a 128-bit sum.
  const lo = bLo - aLo;
  const hi = bHi - aHi - (bLo < aLo ? 1 : 0);
  next(hi, lo);
  const sum = freeLo + resultLo;
  freeHi += resultHi + (sum < freeLo ? 1 : 0);
  freeLo = sum;
}

function subSpan(aHi: u64, aLo: u64, bHi: u64, bLo: u64): void {
  const lo = bLo - aLo;
  const hi = bHi - aHi - (bLo < aLo ? 1 : 0);
  next(hi, lo);
  const rest = freeLo - resultLo;
  freeHi -= resultHi + (rest > freeLo ? 1 : 0);
  freeLo = rest;
}

/** Takes the addresses of a reserved range that lie in the prefix and are free out of the count: they are nobody's. */
function subReserved(prefix: usize, family: u32, at: usize): void {
  let aHi = load<u64>(at);
  let aLo = load<u64>(at, 8);
  let bHi = load<u64>(at, 16);
  let bLo = load<u64>(at, 24);
  if (less(lastHi(prefix), lastLo(prefix), aHi, aLo) || less(bHi, bLo, firstHi(prefix), firstLo(prefix))) return;
  if (less(aHi, aLo, firstHi(prefix), firstLo(prefix))) {
    aHi = firstHi(prefix);
    aLo = firstLo(prefix);
  }
  if (less(lastHi(prefix), lastLo(prefix), bHi, bLo)) {
    bHi = lastHi(prefix);
    bLo = lastLo(prefix);
  }
  subSpan(aHi, aLo, bHi, bLo);
  const held = heldWithin(family, aHi, aLo, bHi, bLo);
  if (held != 0) addSpan(0, 1, 0, held);
  if (isBroadcast(prefix, family, bHi, bLo) && !isHeld(family, bHi, bLo)) addSpan(0, 1, 0, 1);
}

function countFree(pool: usize): void {
  freeHi = 0;
  freeLo = 0;
  const family = poolFamily(pool);
  let prefix = firstPrefix(pool);
  while (prefix != 0) {
    addSpan(firstHi(prefix), firstLo(prefix), lastHi(prefix), lastLo(prefix));
    const held = load<u32>(prefix, HELD);
    if (held != 0) subSpan(0, 1, 0, held);
    const eHi = lastHi(prefix);
    const eLo = lastLo(prefix);
    if (isBroadcast(prefix, family, eHi, eLo) && !isHeld(family, eHi, eLo)) subSpan(0, 1, 0, 1);
    for (let i: u32 = 0; i < reservedCount(pool); i++) subReserved(prefix, family, reservedRanges(pool) + (<usize>i << 5));
    prefix = nextPrefix(prefix);
  }
}

function viewPool(pool: usize): void {
  const name = poolName(pool);
  writeText8(textBytes(name), textLength(name));
  writeU64(poolRevision(pool));
  writeU32(settingsLength(pool));
  writeBytes(settingsOf(pool), settingsLength(pool));
  writeU32(load<u32>(pool, LIVE_LEASES));
  writeU32(load<u32>(pool, COOLING_LEASES));
  writeU32(leasesOutside(pool));
  countFree(pool);
  writeU64(freeHi);
  writeU64(freeLo);
  written++;
}

// --- endpoints ---------------------------------------------------------------------------------------------

function viewEndpoint(endpoint: usize): void {
  const name = endpointName(endpoint);
  writeText8(textBytes(name), textLength(name));
  writeU64(endpointRevision(endpoint));
  writeU32(endpointSettingsLength(endpoint));
  writeBytes(endpointSettings(endpoint), endpointSettingsLength(endpoint));
  written++;
}

/** The record with the smallest name above the given one, from a list of pools or endpoints. */
function nextByName(ofPools: bool, after: usize, afterLength: u32): usize {
  let at = <usize>load<u32>(ofPools ? POOL_HEAD : ENDPOINT_HEAD);
  let best: usize = 0;
  while (at != 0) {
    const name = ofPools ? poolName(at) : endpointName(at);
    if ((ofPools || isDefined(at)) && compareBytes(textBytes(name), textLength(name), after, afterLength) > 0) {
      const known: usize = best == 0 ? 0 : ofPools ? poolName(best) : endpointName(best);
      if (best == 0 || compareBytes(textBytes(name), textLength(name), textBytes(known), textLength(known)) < 0) best = at;
    }
    at = load<u32>(at + (ofPools ? FOLLOWING : FOLLOWING_ENDPOINT));
  }
  return best;
}

function pageByName(ofPools: bool, after: usize, afterLength: u32, limit: u32): bool {
  let from = after;
  let length = afterLength;
  while (true) {
    const found = nextByName(ofPools, from, length);
    if (found == 0) return false;
    if (written == limit) return true;
    if (!widenAnswer(VIEW_MAX)) stop(FAULT_MEMORY);
    if (ofPools) viewPool(found);
    else viewEndpoint(found);
    const name = ofPools ? poolName(found) : endpointName(found);
    from = textBytes(name);
    length = textLength(name);
  }
}

// --- leases ------------------------------------------------------------------------------------------------

function shownState(lease: usize): u32 {
  const status = statusOf(lease);
  if (status == LIVE) return now >= effectiveExpiry(lease) ? STATE_EXPIRED : STATE_LIVE;
  return status == COOLING ? STATE_COOLING : STATE_ENDED;
}

function viewLease(lease: usize): void {
  const family = familyOf(lease);
  writeU64(leaseId(lease));
  writeU64(statusOf(lease) == LIVE ? effectiveExpiry(lease) : expiresAt(lease));
  writeU64(connectionOf(lease));
  writeU8(family);
  writeU8(shownState(lease));
  writeU8((hasFlag(lease, UNCLOSED) ? 1 : 0) | (hasFlag(lease, STOLEN) ? 2 : 0) | (hasFlag(lease, FRESH) ? 4 : 0) | (hasFlag(lease, OWN) ? 8 : 0));
  writeU8(isSingle(lease) ? 1 : 0);
  writeAddress(family, dstHi(lease), dstLo(lease));
  writeAddress(family, srcHi(lease), srcLo(lease));
  const pool = poolName(poolOf(lease));
  writeText8(textBytes(pool), textLength(pool));
  const endpoint = endpointName(endpointOf(lease));
  writeText8(textBytes(endpoint), textLength(endpoint));
  const client = clientOf(lease);
  writeText8(clientName(client), clientNameLength(client));
  writeText8(clientId(client), clientIdLength(client));
  written++;
}

let wantedPool: usize = 0;
let wantedState: u32 = ANY;
let wantedName: usize = 0;
let wantedNameLength: u32 = 0;
let byName: bool = false;
let wantedId: usize = 0;
let wantedIdLength: u32 = 0;
let byId: bool = false;

function isWanted(lease: usize): bool {
  if (wantedPool != 0 && poolOf(lease) != wantedPool) return false;
  if (wantedState != ANY && shownState(lease) != wantedState) return false;
  const client = clientOf(lease);
  if (byName && compareBytes(clientName(client), clientNameLength(client), wantedName, wantedNameLength) != 0) return false;
  return !byId || compareBytes(clientId(client), clientIdLength(client), wantedId, wantedIdLength) == 0;
}

// The page's lease numbers while scanning: a heap with the largest on top.
let heap: usize = 0;
let heapSize: u32 = 0;

function offer(lease: usize, limit: u32): void {
  const id = leaseId(lease);
  let i = heapSize;
  if (heapSize == limit) {
    if (id >= leaseId(load<u32>(heap))) return;
    i = 0;
    while (true) {
      let child = (i << 1) + 1;
      if (child >= limit) break;
      if (child + 1 < limit && leaseId(load<u32>(heap + (<usize>(child + 1) << 2))) > leaseId(load<u32>(heap + (<usize>child << 2)))) child++;
      const c = load<u32>(heap + (<usize>child << 2));
      if (leaseId(c) <= id) break;
      store<u32>(heap + (<usize>i << 2), c);
      i = child;
    }
    store<u32>(heap + (<usize>i << 2), <u32>lease);
    return;
  }
  heapSize++;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const p = load<u32>(heap + (<usize>parent << 2));
    if (leaseId(p) >= id) break;
    store<u32>(heap + (<usize>i << 2), p);
    i = parent;
  }
  store<u32>(heap + (<usize>i << 2), <u32>lease);
}

/** Writes what the heap holds in ascending order, at most `limit`; true if one more was there. */
function drainHeap(limit: u32): bool {
  const total = heapSize;
  // Repeated selection: a page is short.
  let last: u64 = 0;
  for (let n: u32 = 0; n < total; n++) {
    let best: usize = 0;
    for (let i: u32 = 0; i < total; i++) {
      const lease = <usize>load<u32>(heap + (<usize>i << 2));
      if (leaseId(lease) > last && (best == 0 || leaseId(lease) < leaseId(best))) best = lease;
    }
    if (written == limit) return true;
    if (!widenAnswer(VIEW_MAX)) stop(FAULT_MEMORY);
    viewLease(best);
    last = leaseId(best);
  }
  return false;
}

function pageOfLeases(after: u64, limit: u32): bool {
  if (heap == 0) heap = allocate((PAGE_MAX + 1) << 2);
  heapSize = 0;
  if (byName && byId) {
    const client = findClient(identityHash(wantedName, wantedNameLength, wantedId, wantedIdLength), wantedName, wantedNameLength, wantedId, wantedIdLength);
    let lease: usize = client == 0 ? 0 : firstLease(client);
    while (lease != 0) {
      if (leaseId(lease) > after && isWanted(lease)) offer(lease, limit + 1);
      lease = nextOfClient(lease);
    }
    return drainHeap(limit);
  }
  // Lease numbers are positions: where they stand close together, trying them in turn beats a scan.
  const end = load<u64>(POSITION);
  let id = after;
  let tries = <u64>limit * 64 + 4096;
  while (id < end && tries > 0) {
    id++;
    tries--;
    const lease = findLease(id);
    if (lease == 0 || !isWanted(lease)) continue;
    if (written == limit) return true;
    if (!widenAnswer(VIEW_MAX)) stop(FAULT_MEMORY);
    viewLease(lease);
  }
  if (id >= end) return false;
  const rest = limit - written;
  startWalk(BRIEF_WALK, LEASES);
  let lease = nextOfWalk(BRIEF_WALK);
  while (lease != 0) {
    if (leaseId(lease) > id && isWanted(lease)) offer(lease, rest + 1);
    lease = nextOfWalk(BRIEF_WALK);
  }
  return drainHeap(limit);
}

/** Answers the query in the input. */
export function answerQuery(length: u32): void {
  openInput(length);
  startOutput();
  if (!roomForOutput(VIEW_MAX, 0)) stop(FAULT_MEMORY);
  const kind = readU16();
  now = readU64();
  written = 0;
  openAnswer();
  writeU32(0);
  writeU8(0);
  let more = false;
  if (kind == ONE_POOL) {
    const at = readText16();
    const pool = findPool(at, textSize);
    if (pool != 0) viewPool(pool);
  } else if (kind == ONE_ENDPOINT) {
    const at = readText16();
    const endpoint = findEndpoint(at, textSize);
    if (endpoint != 0) viewEndpoint(endpoint);
  } else if (kind == POOLS_PAGE || kind == ENDPOINTS_PAGE) {
    const at = readText16();
    const size = textSize;
    more = pageByName(kind == POOLS_PAGE, at, size, min(max(readU32(), 1), PAGE_MAX));
  } else if (kind == ONE_LEASE) {
    const lease = findLease(readU64());
    if (lease != 0) viewLease(lease);
  } else if (kind == LEASES_PAGE) {
    const after = readU64();
    const limit = min(max(readU32(), 1), PAGE_MAX);
    wantedState = readU8();
    const by = readU8();
    byName = (by & 1) != 0;
    byId = (by & 2) != 0;
    const poolAt = readText16();
    wantedPool = textSize == 0 ? 0 : findPool(poolAt, textSize);
    const known = textSize == 0 || wantedPool != 0;
    wantedName = readText16();
    wantedNameLength = textSize;
    wantedId = readText16();
    wantedIdLength = textSize;
    if ((by & 4) != 0) {
      const family = readU8();
      readAddress(family);
      const lease = leaseWithAddress(family, readHi, readLo);
      if (lease != 0 && known && leaseId(lease) > after && isWanted(lease)) viewLease(lease);
    } else if (known) more = pageOfLeases(after, limit);
  } else stop(FAULT_INPUT);
  closeAnswer();
  store<u8>(answersAt(), more ? 1 : 0, 4);
}
