// Events from the log: the same changes that were decided once, without deciding again.
import { canChange, canRetire, endpointDefined, endpointRetired, isSoundPool, poolChanged, poolDefined, poolRetired } from "./configure";
import { digestBytes } from "./digest";
import { findEndpoint, findEndpointRecord, forgetFoundEndpoint } from "./endpoint";
import { DATE_MAX, TIME_MAX, setNow } from "./envelope";
import {
  CAUSE_CLAIMED,
  CAUSE_OWN,
  ENDPOINT_CHANGED,
  ENDPOINT_DEFINED,
  ENDPOINT_RETIRED,
  LEASE_COOLED,
  LEASE_EXPIRED,
  LEASE_GRANTED,
  LEASE_MOVED,
  LEASE_RELEASED,
  POOL_DEFINED,
  POOL_RETIRED,
  REALM_OPENED,
  RELEASED_CANCELLED,
  RELEASED_OPERATOR,
} from "./event";
import { leaseCancelled, leaseCooled, leaseExpired, leaseGranted, leaseMoved, leaseReleased, leaseRenewed, realmOpened } from "./evolve";
import { FAULT_EVENT, FAULT_PROTOCOL, stop } from "./fault";
import { tentative } from "./journal";
import { APPLYING, LAST_TIME, POSITION } from "./layout";
import { COOLING, FRESH, LIVE, UNCLOSED, dstHi, dstLo, familyOf, findLease, hasFlag, srcHi, srcLo, statusOf } from "./lease";
import { findPool, forgetFoundPool, poolFamily, prefixPool, prefixWith } from "./pool";
import { inputAt, inputLeft, openInput, readAddress, readBytes, readHi, readLo, readText8, readU16, readU32, readU64, readU8, seekInput, textSize } from "./record";
import { isName, isUtf8 } from "./text";

/** A text of an event; one that could not be shown is none of ours. */
function readText(): usize {
  const at = readText8();
  if (!isUtf8(at, textSize)) stop(FAULT_EVENT);
  return at;
}

function expect(fits: bool): void {
  if (!fits) stop(FAULT_EVENT);
}

function knownPool(): usize {
  const at = readText8();
  const pool = findPool(at, textSize);
  expect(pool != 0);
  return pool;
}

function knownEndpoint(): usize {
  const at = readText8();
  const endpoint = findEndpointRecord(at, textSize);
  expect(endpoint != 0);
  return endpoint;
}

/** Reads dst and src; whether they are what the lease has. */
function readsAddressesOf(lease: usize, family: u32): bool {
  if (familyOf(lease) != family) return false;
  readAddress(family);
  const dst = readHi == dstHi(lease) && readLo == dstLo(lease);
  readAddress(family);
  return dst && readHi == srcHi(lease) && readLo == srcLo(lease);
}

/** An event about a lease that stays where it is. */
function applyAbout(type: u32, lease: usize, family: u32, detail: u32, time: u64): void {
  expect(readsAddressesOf(lease, family));
  const live = statusOf(lease) == LIVE;
  if (type >= LEASE_RELEASED) {
    if (type == LEASE_EXPIRED) {
      expect(live);
      leaseExpired(lease);
    } else if (type == LEASE_COOLED) {
      expect(statusOf(lease) == COOLING);
      leaseCooled(lease);
    } else if (detail == RELEASED_CANCELLED) {
      expect(live && hasFlag(lease, FRESH));
      leaseCancelled(lease);
    } else {
      expect(live || hasFlag(lease, UNCLOSED));
      leaseReleased(lease);
    }
    return;
  }
  expect(live);
  readText8();
  const endpoint = knownEndpoint();
  readText8();
  readText8();
  const connection = readText();
  leaseRenewed(lease, endpoint, digestBytes(connection, textSize, 3), time);
}

function applyLease(type: u32): void {
  const id = readU64();
  const family = readU8();
  const detail = readU8();
  readU16();
  const time = readU64();
  const timeB = readU64();
  expect((family == 4 || family == 6) && time <= DATE_MAX && timeB <= DATE_MAX && detail <= RELEASED_OPERATOR);
  if (type != LEASE_GRANTED && type != LEASE_MOVED) {
    const lease = findLease(id);
    expect(lease != 0);
    applyAbout(type, lease, family, detail, time);
    return;
  }
  readAddress(family);
  const dHi = readHi;
  const dLo = readLo;
  readAddress(family);
  const sHi = readHi;
  const sLo = readLo;
  let moving: usize = 0;
  if (type == LEASE_MOVED) {
    moving = findLease(id);
    expect(moving != 0 && statusOf(moving) == LIVE && readsAddressesOf(moving, readU8()));
    readText8();
  } else expect(id == load<u64>(POSITION) + 1 && detail <= CAUSE_CLAIMED);
  const pool = knownPool();
  const prefix = prefixWith(family, sHi, sLo);
  expect(poolFamily(pool) == family && prefix != 0 && prefixPool(prefix) == pool && !(dHi == sHi && dLo == sLo));
  const endpoint = knownEndpoint();
  const name = readText();
  const nameLength = textSize;
  const clientId = readText();
  const clientIdLength = textSize;
  const connection = readText();
  const connectionDigest = digestBytes(connection, textSize, 3);
  if (moving != 0) leaseMoved(moving, pool, endpoint, connectionDigest, time, dHi, dLo, sHi, sLo);
  else leaseGranted(name, nameLength, clientId, clientIdLength, pool, endpoint, connectionDigest, detail == CAUSE_OWN, time, dHi, dLo, sHi, sLo);
}

function applyPool(type: u32): void {
  const name = readText8();
  const nameLength = textSize;
  const length = readU32();
  const settings = readBytes(length);
  const pool = findPool(name, nameLength);
  if (type == POOL_DEFINED) {
    forgetFoundPool();
    expect(pool == 0 && isSoundPool(0, name, nameLength, settings, length));
    poolDefined(name, nameLength, settings, length);
    return;
  }
  expect(pool != 0);
  if (type == POOL_RETIRED) {
    expect(canRetire(pool));
    poolRetired(pool);
    return;
  }
  const afterLength = readU32();
  const after = readBytes(afterLength);
  expect(isSoundPool(pool, name, nameLength, after, afterLength) && canChange(pool, settings, length));
  poolChanged(pool, after, afterLength);
}

function applyEndpoint(type: u32): void {
  const name = readText8();
  const nameLength = textSize;
  forgetFoundEndpoint();
  const endpoint = findEndpoint(name, nameLength);
  if (type == ENDPOINT_RETIRED) {
    expect(endpoint != 0);
    endpointRetired(endpoint);
    return;
  }
  expect(isName(name, nameLength) && (endpoint != 0) == (type == ENDPOINT_CHANGED));
  if (type == ENDPOINT_CHANGED) readBytes(readU32());
  const length = readU32();
  expect(endpointDefined(name, nameLength, readBytes(length), length));
}

function applyOpening(): void {
  const away = readU64();
  const until = readU64();
  expect(away <= DATE_MAX && until <= DATE_MAX);
  realmOpened(until);
}

/** Applies the events in the input. Stops the program at the first that does not fit the state. */
export function applyAll(length: u32): u32 {
  if (tentative() != 0) stop(FAULT_PROTOCOL);
  openInput(length);
  let events: u32 = 0;
  while (inputLeft() > 0) {
    store<u64>(APPLYING, load<u64>(POSITION) + 1);
    const start = inputAt();
    const left = inputLeft();
    const size = readU32();
    const type = readU16();
    const version = readU16();
    const position = readU64();
    const time = readU64();
    readU64();
    expect(size >= 34 && size <= left && version == 1 && position == load<u64>(POSITION) + 1);
    expect(time <= TIME_MAX && time >= load<u64>(LAST_TIME));
    readText();
    readText();
    setNow(time);
    if (type >= LEASE_GRANTED && type <= LEASE_COOLED) applyLease(type);
    else if (type >= POOL_DEFINED && type <= POOL_RETIRED) applyPool(type);
    else if (type >= ENDPOINT_DEFINED && type <= ENDPOINT_RETIRED) applyEndpoint(type);
    else if (type == REALM_OPENED) applyOpening();
    else stop(FAULT_EVENT);
    const end = start + size;
    expect(inputAt() <= end);
    seekInput(end);
    events++;
  }
  return events;
}
