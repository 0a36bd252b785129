// Events from the log: the same changes that were decided once, without deciding again.
import { endpointDefined, endpointRetired, poolChanged, poolDefined, poolRetired } from "./configure";
import { digestBytes } from "./digest";
import { findEndpoint, findEndpointRecord, forgetFoundEndpoint } from "./endpoint";
import { setNow } from "./envelope";
import {
  CAUSE_OWN,
  ENDPOINT_CHANGED,
  ENDPOINT_DEFINED,
  ENDPOINT_RETIRED,
  LEASE_COOLED,
  LEASE_EXPIRED,
  LEASE_GRANTED,
  LEASE_MOVED,
  LEASE_RELEASED,
  LEASE_RENEWED,
  LEASE_RESTORED,
  POOL_CHANGED,
  POOL_DEFINED,
  POOL_RETIRED,
  REALM_OPENED,
  RELEASED_CANCELLED,
} from "./event";
import { leaseCancelled, leaseCooled, leaseExpired, leaseGranted, leaseMoved, leaseReleased, leaseRenewed, realmOpened } from "./evolve";
import { FAULT_EVENT, FAULT_PROTOCOL, stop } from "./fault";
import { tentative } from "./journal";
import { APPLYING, POSITION } from "./layout";
import { findLease } from "./lease";
import { findPool, forgetFoundPool } from "./pool";
import { inputAt, inputLeft, openInput, readAddress, readBytes, readHi, readLo, readText8, readU16, readU32, readU64, readU8, seekInput, textSize } from "./record";

function knownPool(): usize {
  const at = readText8();
  const pool = findPool(at, textSize);
  if (pool == 0) stop(FAULT_EVENT);
  return pool;
}

function applyLease(type: u32): void {
  const id = readU64();
  const family = readU8();
  const detail = readU8();
  readU16();
  const time = readU64();
  readU64();
  if (type == LEASE_RENEWED || type == LEASE_RESTORED || type >= LEASE_RELEASED) {
    const lease = findLease(id);
    if (lease == 0) stop(FAULT_EVENT);
    if (type >= LEASE_RELEASED) {
      if (type == LEASE_EXPIRED) leaseExpired(lease);
      else if (type == LEASE_COOLED) leaseCooled(lease);
      else if (detail == RELEASED_CANCELLED) leaseCancelled(lease);
      else leaseReleased(lease);
      return;
    }
    readBytes(family == 4 ? 8 : 32);
    readText8();
    const endpointAt = readText8();
    const endpoint = findEndpointRecord(endpointAt, textSize);
    if (endpoint == 0) stop(FAULT_EVENT);
    readText8();
    readText8();
    const connection = readText8();
    leaseRenewed(lease, endpoint, digestBytes(connection, textSize, 3), time);
    return;
  }
  readAddress(family);
  const dHi = readHi;
  const dLo = readLo;
  readAddress(family);
  const sHi = readHi;
  const sLo = readLo;
  if (type == LEASE_MOVED) {
    const from = readU8();
    readBytes(from == 4 ? 8 : 32);
    readText8();
  }
  const pool = knownPool();
  const endpointAt = readText8();
  const endpoint = findEndpointRecord(endpointAt, textSize);
  if (endpoint == 0) stop(FAULT_EVENT);
  const name = readText8();
  const nameLength = textSize;
  const clientId = readText8();
  const clientIdLength = textSize;
  const connection = readText8();
  const connectionDigest = digestBytes(connection, textSize, 3);
  if (type == LEASE_MOVED) {
    const lease = findLease(id);
    if (lease == 0) stop(FAULT_EVENT);
    leaseMoved(lease, pool, endpoint, connectionDigest, time, dHi, dLo, sHi, sLo);
  } else leaseGranted(name, nameLength, clientId, clientIdLength, pool, endpoint, connectionDigest, detail == CAUSE_OWN, time, dHi, dLo, sHi, sLo);
}

function applyPool(type: u32): void {
  const name = readText8();
  const nameLength = textSize;
  const length = readU32();
  const settings = readBytes(length);
  const pool = findPool(name, nameLength);
  if (type == POOL_DEFINED) {
    if (pool != 0) stop(FAULT_EVENT);
    forgetFoundPool();
    poolDefined(name, nameLength, settings, length);
    return;
  }
  if (pool == 0) stop(FAULT_EVENT);
  if (type == POOL_RETIRED) {
    poolRetired(pool);
    return;
  }
  const after = readU32();
  poolChanged(pool, readBytes(after), after);
}

function applyEndpoint(type: u32): void {
  const name = readText8();
  const nameLength = textSize;
  forgetFoundEndpoint();
  if (type == ENDPOINT_RETIRED) {
    const endpoint = findEndpoint(name, nameLength);
    if (endpoint == 0) stop(FAULT_EVENT);
    endpointRetired(endpoint);
    return;
  }
  if (type == ENDPOINT_CHANGED) readBytes(readU32());
  const length = readU32();
  if (!endpointDefined(name, nameLength, readBytes(length), length)) stop(FAULT_EVENT);
}

/** Applies the events in the input. Stops the program at the first that does not fit the state. */
export function applyAll(length: u32): u32 {
  if (tentative() != 0) stop(FAULT_PROTOCOL);
  openInput(length);
  let events: u32 = 0;
  while (inputLeft() > 0) {
    const start = inputAt();
    const size = readU32();
    const type = readU16();
    const version = readU16();
    const position = readU64();
    const time = readU64();
    readU64();
    store<u64>(APPLYING, load<u64>(POSITION) + 1);
    if (size < 34 || <u64>size > <u64>inputLeft() + 32 || version != 1 || position != load<u64>(POSITION) + 1) stop(FAULT_EVENT);
    readText8();
    readText8();
    setNow(time);
    if (type >= LEASE_GRANTED && type <= LEASE_COOLED) applyLease(type);
    else if (type >= POOL_DEFINED && type <= POOL_RETIRED) applyPool(type);
    else if (type >= ENDPOINT_DEFINED && type <= ENDPOINT_RETIRED) applyEndpoint(type);
    else if (type == REALM_OPENED) {
      readU64();
      realmOpened(readU64());
    } else stop(FAULT_EVENT);
    const end = start + size;
    if (inputAt() > end) stop(FAULT_EVENT);
    seekInput(end);
    events++;
  }
  return events;
}
