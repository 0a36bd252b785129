// Deciding a request: one lease per group of the endpoint's chain, or none at all.
//
// The log decides, the client's context is a hint: a live lease is the answer; then what the client had
// before; then what it claims; then the lowest free addresses.
import { now } from "./envelope";
import {
  CLAIMED,
  GRANTED,
  MOVED,
  REGRANTED,
  RENEWED,
  RESTORED,
  addAnswered,
  answeredCount,
  answeredExpires,
  answeredFamily,
  answeredId,
  answeredLength,
  answeredOutcome,
  answeredPool,
  answeredPresent,
  answeredReason,
  answeredSingle,
  clearAnswered,
  dstHiOf,
  dstLoOf,
  fromDstHi,
  fromDstLo,
  fromFamily,
  fromSrcHi,
  fromSrcLo,
  movedFrom,
  srcHiOf,
  srcLoOf,
} from "./answered";
import { bitsOf } from "./address";
import { findClaim, findLowest, findOwn, foundDstHi, foundDstLo, foundSrcHi, foundSrcLo } from "./allocate";
import { findClient, identityHash } from "./client";
import { digestBytes } from "./digest";
import { chainOf, endpointPolicy, findEndpoint } from "./endpoint";
import { CAUSE_CLAIMED, CAUSE_NEW, CAUSE_OWN, LEASE_RENEWED, LEASE_RESTORED, MOVED_EXCLUDED, MOVED_PREFIX, MOVED_RESERVED, writeAbout, writeGranted, writeMoved } from "./event";
import { effectiveExpiry, leaseGranted, leaseMoved, leaseRenewed, recordIn } from "./evolve";
import { exclude, excludedCount, isExcluded, isReserved } from "./exclusion";
import { freeAddresses, holdAgain } from "./holding";
import { ITEM_BYTES, itemCount, openItems } from "./item";
import { OPEN_COUNT, POSITION } from "./layout";
import {
  LIVE,
  OPENS_MASK,
  UNCLOSED,
  connectionOf,
  dstHi,
  dstLo,
  expiresAt,
  familyOf,
  hasFlag,
  isSingle,
  leaseId,
  opensSeen,
  poolOf,
  srcHi,
  srcLo,
  statusOf,
} from "./lease";
import { LIVE_LEASES, MODE_PAIR, MODE_SINGLE, isDraining, leaseMs, poolFamily, poolMode, poolName, poolRevision, prefixLength, prefixPool, prefixWith } from "./pool";
import { closeAnswer, closeRun, openRun, putAddress, putText8, readBytes, readText16, readU16, readU32, textSize, writeBytes, writeU16, writeU8 } from "./record";
import {
  CONNECTION_EXPIRED,
  INVALID,
  NOT_FOUND,
  OK,
  POOL_EXHAUSTED,
  RULE_ENDPOINT_UNKNOWN,
  RULE_EXCLUDED_COUNT,
  RULE_EXCLUDED_RANGE,
  RULE_IDENTITY,
  RULE_ITEM,
  RULE_ITEM_COUNT,
  RULE_NO_ROOM,
  RULE_STORE_LOW,
  RULE_TEXT,
  RULE_TOO_LATE,
  STORE_FULL,
  TOO_LARGE,
  about,
  beginAnswer,
  counting,
  refuse,
  since,
} from "./refusal";
import { isUtf8, textBytes, textLength } from "./text";
import { ITEMS_MAX, dstFirst, judgeItems, verdictsAt } from "./verdict";

export const IDENTITY_MAX: u32 = 255;
const EXCLUDED_MAX: u32 = 16384;

const RESELECT: u32 = 1;
const KNOWN_ONLY: u32 = 2;

// The running command.
let endpoint: usize = 0;
let name: usize = 0;
let nameLength: u32 = 0;
let id: usize = 0;
let idLength: u32 = 0;
let connection: usize = 0;
let connectionLength: u32 = 0;
let connectionDigest: u64 = 0;
let reselect: bool = false;
let knownOnly: bool = false;
let client: usize = 0;
let clientDigest: u32 = 0;

// Reading the caller's identity is shared with close and cancel.
export function readCaller(): bool {
  const at = readText16();
  const length = textSize;
  name = readText16();
  nameLength = textSize;
  id = readText16();
  idLength = textSize;
  connection = readText16();
  connectionLength = textSize;
  endpoint = length <= 64 ? findEndpoint(at, length) : 0;
  if (nameLength > IDENTITY_MAX || idLength > IDENTITY_MAX || idLength == 0 || connectionLength > IDENTITY_MAX) return refuse(INVALID, RULE_IDENTITY);
  if (!isUtf8(name, nameLength) || !isUtf8(id, idLength) || !isUtf8(connection, connectionLength)) return refuse(INVALID, RULE_TEXT);
  if (endpoint == 0) {
    about(at, length);
    return refuse(NOT_FOUND, RULE_ENDPOINT_UNKNOWN);
  }
  connectionDigest = digestBytes(connection, connectionLength, 3);
  lookUpClient();
  return true;
}

/** Finds the caller's record again after events that may have made or forgotten it. */
export function lookUpClient(): void {
  clientDigest = identityHash(name, nameLength, id, idLength);
  client = findClient(clientDigest, name, nameLength, id, idLength);
}

export function callerClient(): usize {
  return client;
}
export function callerEndpoint(): usize {
  return endpoint;
}
export function callerConnection(): u64 {
  return connectionDigest;
}
export function callerConnectionAt(): usize {
  return connection;
}
export function callerConnectionLength(): u32 {
  return connectionLength;
}

function maskLength(pool: usize, hi: u64, lo: u64): u32 {
  const family = poolFamily(pool);
  if (poolMode(pool) != MODE_SINGLE) return bitsOf(family);
  const prefix = prefixWith(family, hi, lo);
  return prefix == 0 ? bitsOf(family) : prefixLength(prefix);
}

function grant(pool: usize, cause: u32): void {
  const family = poolFamily(pool);
  const expires = now + leaseMs(pool);
  const dHi = foundDstHi;
  const dLo = foundDstLo;
  const sHi = foundSrcHi;
  const sLo = foundSrcLo;
  const outcome = cause == CAUSE_NEW ? GRANTED : cause == CAUSE_OWN ? REGRANTED : CLAIMED;
  writeGranted(cause, excludedCount(), expires, family, dHi, dLo, sHi, sLo, pool, endpoint, name, nameLength, id, idLength, connection, connectionLength);
  leaseGranted(name, nameLength, id, idLength, pool, endpoint, connectionDigest, cause == CAUSE_OWN, expires, dHi, dLo, sHi, sLo);
  addAnswered(load<u64>(POSITION), expires, pool, family, poolMode(pool) == MODE_SINGLE, outcome, maskLength(pool, sHi, sLo), dHi, dLo, sHi, sLo);
}

function tooLate(lease: usize, pool: usize): bool {
  const text = poolName(pool);
  about(textBytes(text), textLength(text));
  since(leaseId(lease));
  return refuse(CONNECTION_EXPIRED, RULE_TOO_LATE);
}

/** Why a live lease cannot stay where it is; 0 if it can. */
function mustMove(lease: usize): u32 {
  const pool = poolOf(lease);
  const family = familyOf(lease);
  const dHi = dstHi(lease);
  const dLo = dstLo(lease);
  const sHi = srcHi(lease);
  const sLo = srcLo(lease);
  const dPrefix = prefixWith(family, dHi, dLo);
  const sPrefix = prefixWith(family, sHi, sLo);
  if (dPrefix == 0 || sPrefix == 0 || prefixPool(dPrefix) != pool || prefixPool(sPrefix) != pool) return MOVED_PREFIX;
  if (isReserved(pool, sHi, sLo) || (!isSingle(lease) && isReserved(pool, dHi, dLo))) return MOVED_RESERVED;
  if (isExcluded(family, sHi, sLo) || isExcluded(family, dHi, dLo)) return MOVED_EXCLUDED;
  return 0;
}

/** Refuses for want of room, naming the pool tried last. */
function noRoom(pool: usize): bool {
  const text = poolName(pool);
  about(textBytes(text), textLength(text));
  counting(load<u32>(pool, LIVE_LEASES));
  return refuse(POOL_EXHAUSTED, RULE_NO_ROOM);
}

function move(lease: usize, reason: u32, group: usize, pools: u32): bool {
  const from = poolOf(lease);
  const family = familyOf(lease);
  const single = isSingle(lease);
  const dHi = dstHi(lease);
  const dLo = dstLo(lease);
  const sHi = srcHi(lease);
  const sLo = srcLo(lease);
  // Its own addresses count as free while looking: half of an excluded pair may serve again.
  freeAddresses(lease);
  let pool: usize = 0;
  let last: usize = 0;
  for (let i: u32 = 0; i < pools; i++) {
    const candidate = <usize>load<u32>(group + (<usize>i << 2));
    if (isDraining(candidate)) continue;
    last = candidate;
    if (candidate != from) {
      const record = recordIn(client, candidate);
      if (record != 0 && statusOf(record) == LIVE) continue;
    }
    if (findLowest(candidate)) {
      pool = candidate;
      break;
    }
  }
  if (pool == 0) return noRoom(last != 0 ? last : <usize>load<u32>(group + (<usize>(pools - 1) << 2)));
  const toDstHi = foundDstHi;
  const toDstLo = foundDstLo;
  const toSrcHi = foundSrcHi;
  const toSrcLo = foundSrcLo;
  holdAgain(lease);
  const expires = now + leaseMs(pool);
  const number = leaseId(lease);
  const to = poolFamily(pool);
  writeMoved(reason == MOVED_EXCLUDED ? 0 : poolRevision(from), lease, reason, excludedCount(), expires, pool, to, toDstHi, toDstLo, toSrcHi, toSrcLo, endpoint, connection, connectionLength);
  leaseMoved(lease, pool, endpoint, connectionDigest, expires, toDstHi, toDstLo, toSrcHi, toSrcLo);
  addAnswered(number, expires, pool, to, poolMode(pool) == MODE_SINGLE, MOVED, maskLength(pool, toSrcHi, toSrcLo), toDstHi, toDstLo, toSrcHi, toSrcLo);
  movedFrom(reason, family, single, dHi, dLo, sHi, sLo);
  return true;
}

function serveGroup(group: usize, pools: u32): bool {
  // 1. A live lease.
  for (let i: u32 = 0; i < pools; i++) {
    const pool = <usize>load<u32>(group + (<usize>i << 2));
    const lease = recordIn(client, pool);
    if (lease == 0 || statusOf(lease) != LIVE) continue;
    const late = now >= effectiveExpiry(lease);
    const sameConnection = connectionOf(lease) == connectionDigest;
    if (late && sameConnection && !reselect) return tooLate(lease, pool);
    const reason = mustMove(lease);
    if (reason != 0) return move(lease, reason, group, pools);
    const heal = reselect || late || !sameConnection || opensSeen(lease) != (load<u32>(OPEN_COUNT) & OPENS_MASK);
    const expires = now + leaseMs(pool);
    writeAbout(heal ? LEASE_RESTORED : LEASE_RENEWED, lease, endpoint, 0, expires, expiresAt(lease), connection, connectionLength);
    leaseRenewed(lease, endpoint, connectionDigest, expires);
    addAnswered(
      leaseId(lease),
      expires,
      pool,
      familyOf(lease),
      isSingle(lease),
      heal ? RESTORED : RENEWED,
      maskLength(pool, srcHi(lease), srcLo(lease)),
      dstHi(lease),
      dstLo(lease),
      srcHi(lease),
      srcLo(lease),
    );
    return true;
  }
  // 2. What the client had.
  for (let i: u32 = 0; i < pools; i++) {
    const pool = <usize>load<u32>(group + (<usize>i << 2));
    const lease = recordIn(client, pool);
    if (lease == 0) continue;
    if (hasFlag(lease, UNCLOSED) && connectionOf(lease) == connectionDigest && !reselect) return tooLate(lease, pool);
    if (findOwn(lease, pool)) {
      grant(pool, CAUSE_OWN);
      return true;
    }
    break;
  }
  if (knownOnly) return refuse(STORE_FULL, RULE_STORE_LOW);
  // 3. What it claims.
  if (itemCount != 0) {
    for (let i: u32 = 0; i < pools; i++) {
      const pool = <usize>load<u32>(group + (<usize>i << 2));
      if (!isDraining(pool) && findClaim(pool)) {
        grant(pool, CAUSE_CLAIMED);
        return true;
      }
    }
  }
  // 4. The lowest that are free.
  let last: usize = 0;
  for (let i: u32 = 0; i < pools; i++) {
    const pool = <usize>load<u32>(group + (<usize>i << 2));
    if (isDraining(pool)) continue;
    last = pool;
    if (findLowest(pool)) {
      grant(pool, CAUSE_NEW);
      return true;
    }
  }
  return noRoom(last != 0 ? last : <usize>load<u32>(group + (<usize>(pools - 1) << 2)));
}

/** Reads a request and serves it; false if refused, with nothing changed but what the caller rolls back. */
export function request(flags: u32): bool {
  if (!readCaller()) return false;
  reselect = (flags & RESELECT) != 0;
  knownOnly = (flags & KNOWN_ONLY) != 0;
  const n4 = readU32();
  const n6 = readU32();
  const items = readU16();
  if (<u64>n4 + <u64>n6 > EXCLUDED_MAX) {
    counting(<u64>n4 + <u64>n6);
    return refuse(TOO_LARGE, RULE_EXCLUDED_COUNT);
  }
  if (items > ITEMS_MAX) {
    counting(items);
    return refuse(TOO_LARGE, RULE_ITEM_COUNT);
  }
  const at4 = readBytes(n4 << 3);
  const at6 = readBytes(n6 << 5);
  if (!exclude(at4, n4, at6, n6)) return refuse(INVALID, RULE_EXCLUDED_RANGE);
  if (!openItems(readBytes(items * ITEM_BYTES), items)) return refuse(INVALID, RULE_ITEM);
  clearAnswered();
  let at = chainOf(endpoint);
  const groups = load<u32>(at);
  at += 4;
  for (let g: u32 = 0; g < groups; g++) {
    const pools = load<u32>(at);
    if (g > 0) lookUpClient();
    if (!serveGroup(at + 4, pools)) return false;
    at += 4 + (<usize>pools << 2);
  }
  judgeItems(endpointPolicy(endpoint));
  return true;
}

export function writeRequestAnswer(kind: u32): void {
  beginAnswer(kind, OK);
  writeU8(answeredCount);
  writeU8(<u32>(dstFirst + 1));
  writeU16(itemCount);
  for (let i: u32 = 0; i < answeredCount; i++) {
    const family = answeredFamily(i);
    const reason = answeredReason(i);
    let at = openRun(23 + 4 * 16 + 264);
    store<u64>(at, answeredId(i));
    store<u64>(at, answeredExpires(i), 8);
    store<u8>(at, <u8>family, 16);
    store<u8>(at, <u8>(answeredSingle(i) ? MODE_SINGLE : MODE_PAIR), 17);
    store<u8>(at, <u8>answeredOutcome(i), 18);
    store<u8>(at, <u8>answeredPresent(i), 19);
    store<u8>(at, <u8>answeredLength(i), 20);
    store<u8>(at, <u8>reason, 21);
    store<u8>(at, <u8>(reason != 0 ? fromFamily(i) : 0), 22);
    at = putAddress(putAddress(at + 23, family, dstHiOf(i), dstLoOf(i)), family, srcHiOf(i), srcLoOf(i));
    if (reason != 0) {
      at = putAddress(putAddress(at, fromFamily(i), fromDstHi(i), fromDstLo(i)), fromFamily(i), fromSrcHi(i), fromSrcLo(i));
    }
    const text = poolName(answeredPool(i));
    closeRun(putText8(at, textBytes(text), textLength(text)));
  }
  writeBytes(verdictsAt(), itemCount);
  closeAnswer();
}
