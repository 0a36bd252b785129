// Writing events: the records that go to the log. Layout in docs/events.md.
import { actor, actorLength, correlation, correlationLength, nextPosition, now } from "./envelope";
import { clientId, clientIdLength, clientName, clientNameLength } from "./client";
import { clientOf, dstHi, dstLo, endpointOf, familyOf, leaseId, poolOf, srcHi, srcLo } from "./lease";
import { endpointName } from "./endpoint";
import { poolName } from "./pool";
import { closeEvent, closeRun, openEvent, openRun, putAddress, putText8, writeAddress, writeText8, writeU8 } from "./record";
import { textBytes, textLength } from "./text";

export const REALM_OPENED: u32 = 1;
export const POOL_DEFINED: u32 = 2;
export const POOL_CHANGED: u32 = 3;
export const POOL_RETIRED: u32 = 4;
export const ENDPOINT_DEFINED: u32 = 5;
export const ENDPOINT_CHANGED: u32 = 6;
export const ENDPOINT_RETIRED: u32 = 7;
export const LEASE_GRANTED: u32 = 16;
export const LEASE_RENEWED: u32 = 17;
export const LEASE_RESTORED: u32 = 18;
export const LEASE_MOVED: u32 = 19;
export const LEASE_RELEASED: u32 = 20;
export const LEASE_EXPIRED: u32 = 21;
export const LEASE_COOLED: u32 = 22;

export const CAUSE_NEW: u32 = 0;
export const CAUSE_OWN: u32 = 1;
export const CAUSE_CLAIMED: u32 = 2;

export const MOVED_EXCLUDED: u32 = 1;
export const MOVED_PREFIX: u32 = 2;
export const MOVED_RESERVED: u32 = 3;

export const RELEASED_CLOSED: u32 = 0;
export const RELEASED_CANCELLED: u32 = 1;
export const RELEASED_REPLACED: u32 = 2;
export const RELEASED_OPERATOR: u32 = 3;

let eventsWritten: u32 = 0;
export function eventCount(): u32 {
  return eventsWritten;
}
export function setEventCount(count: u32): void {
  eventsWritten = count;
}

/** Starts the record of the event that comes next. */
export function beginEvent(type: u32, causation: u64): void {
  openEvent();
  const at = openRun(32 + 2 * 264);
  store<u16>(at, <u16>type, 4);
  store<u16>(at, 1, 6);
  store<u64>(at, nextPosition(), 8);
  store<u64>(at, now, 16);
  store<u64>(at, causation, 24);
  closeRun(putText8(putText8(at + 32, actor, actorLength), correlation, correlationLength));
}

export function endEvent(): void {
  closeEvent();
  eventsWritten++;
}

function leaseHead(type: u32, causation: u64, id: u64, family: u32, detail: u32, excluded: u32, timeA: u64, timeB: u64, dHi: u64, dLo: u64, sHi: u64, sLo: u64): void {
  beginEvent(type, causation);
  const at = openRun(28 + 32);
  store<u64>(at, id);
  store<u8>(at, <u8>family, 8);
  store<u8>(at, <u8>detail, 9);
  store<u16>(at, <u16>excluded, 10);
  store<u64>(at, timeA, 12);
  store<u64>(at, timeB, 20);
  closeRun(putAddress(putAddress(at + 28, family, dHi, dLo), family, sHi, sLo));
}

function names(pool: usize, endpoint: usize, name: usize, nameLength: u32, id: usize, idLength: u32, connection: usize, connectionLength: u32): void {
  const poolText = poolName(pool);
  const endpointText = endpointName(endpoint);
  let at = openRun(5 * 264);
  at = putText8(at, textBytes(poolText), textLength(poolText));
  at = putText8(at, textBytes(endpointText), textLength(endpointText));
  at = putText8(at, name, nameLength);
  at = putText8(at, id, idLength);
  at = putText8(at, connection, connectionLength);
  closeRun(at);
  endEvent();
}

export function writeGranted(
  cause: u32,
  excluded: u32,
  expires: u64,
  family: u32,
  dHi: u64,
  dLo: u64,
  sHi: u64,
  sLo: u64,
  pool: usize,
  endpoint: usize,
  name: usize,
  nameLength: u32,
  id: usize,
  idLength: u32,
  connection: usize,
  connectionLength: u32,
): void {
  leaseHead(LEASE_GRANTED, 0, nextPosition(), family, cause, excluded, expires, 0, dHi, dLo, sHi, sLo);
  names(pool, endpoint, name, nameLength, id, idLength, connection, connectionLength);
}

/** An event about a lease as it is: renewed, restored, released, expired, cooled. */
export function writeAbout(type: u32, lease: usize, endpoint: usize, detail: u32, timeA: u64, timeB: u64, connection: usize, connectionLength: u32): void {
  const family = familyOf(lease);
  leaseHead(type, 0, leaseId(lease), family, detail, 0, timeA, timeB, dstHi(lease), dstLo(lease), srcHi(lease), srcLo(lease));
  const client = clientOf(lease);
  names(poolOf(lease), endpoint, clientName(client), clientNameLength(client), clientId(client), clientIdLength(client), connection, connectionLength);
}

/** lease-moved: the new addresses, then where it comes from (family, addresses, pool). */
export function writeMoved(
  causation: u64,
  lease: usize,
  reason: u32,
  excluded: u32,
  expires: u64,
  pool: usize,
  family: u32,
  dHi: u64,
  dLo: u64,
  sHi: u64,
  sLo: u64,
  endpoint: usize,
  connection: usize,
  connectionLength: u32,
): void {
  leaseHead(LEASE_MOVED, causation, leaseId(lease), family, reason, excluded, expires, 0, dHi, dLo, sHi, sLo);
  const from = familyOf(lease);
  writeU8(from);
  writeAddress(from, dstHi(lease), dstLo(lease));
  writeAddress(from, srcHi(lease), srcLo(lease));
  const fromPool = poolName(poolOf(lease));
  writeText8(textBytes(fromPool), textLength(fromPool));
  const client = clientOf(lease);
  names(pool, endpoint, clientName(client), clientNameLength(client), clientId(client), clientIdLength(client), connection, connectionLength);
}
