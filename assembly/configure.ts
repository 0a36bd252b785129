// Pools and endpoints: deciding their definitions, and what the definitions do to the state.
import { advance, nextPosition } from "./envelope";
import { FOLLOWING_ENDPOINT, POLICY_APPEND, chainNames, clearChain, endpointName, endpointRevision, endpointSettings, endpointSettingsLength, findEndpoint, findEndpointRecord, isDefined, newEndpoint, setChain } from "./endpoint";
import { ENDPOINT_CHANGED, ENDPOINT_DEFINED, ENDPOINT_RETIRED, POOL_CHANGED, POOL_DEFINED, POOL_RETIRED, beginEvent, endEvent } from "./event";
import { take } from "./journal";
import { ENDPOINT_COUNT, ENDPOINT_HEAD, POOL_COUNT, POSITION } from "./layout";
import { COOLING_LEASES, LIVE_LEASES, dropPool, findPool, newPool, poolFamily, poolMode, poolRevision, setRevision, setSettings, settingsLength as keptLength, settingsOf } from "./pool";
import { addWanted, countLeases, forgetEndedOf, leasesOutside, removePrefixes, removeUnwanted } from "./prefixes";
import { dropQueues } from "./queue";
import { readBytes, readText16, readU32, readU64, textSize, writeBytes, writeText8, writeU32 } from "./record";
import {
  IN_USE,
  INVALID,
  NOT_FOUND,
  PRECONDITION_FAILED,
  RULE_CHAIN_SIZE,
  RULE_ENDPOINT_COUNT,
  RULE_ENDPOINT_UNKNOWN,
  RULE_KIND,
  RULE_MODE,
  RULE_MODE_IN_USE,
  RULE_NAME,
  RULE_POOL_COUNT,
  RULE_POOL_HAS_LEASES,
  RULE_POOL_IN_CHAIN,
  RULE_POOL_TWICE,
  RULE_POOL_UNKNOWN,
  RULE_REVISION,
  TOO_LARGE,
  about,
  against,
  counting,
  refuse,
  since,
} from "./refusal";
import { GROUPS_MAX } from "./answered";
import { checkOverlap, checkReserved, checkSettings, openSettings, settingsCooldown, settingsDraining, settingsFamily, settingsGrace, settingsLease, settingsMode, takeOverReserved } from "./settings";
import { isName, sameBytes, textBytes, textLength } from "./text";

const POOLS_MAX: u32 = 4096;
const ENDPOINTS_MAX: u32 = 65535;
const GROUP_POOLS_MAX: u32 = 16;
const ANY_REVISION: u64 = 0xffffffffffffffff;

/** Whether a definition from the log keeps the rules that one from a caller would have to. */
export function isSoundPool(pool: usize, name: usize, nameLength: u32, settings: usize, length: u32): bool {
  return isName(name, nameLength) && openSettings(settings, length) && checkSettings() && checkOverlap(pool) && checkReserved();
}

/** Whether the pool could take these settings: it keeps its kind while something is held in it. */
export function canChange(pool: usize, before: usize, beforeLength: u32): bool {
  if (keptLength(pool) != beforeLength || !sameBytes(settingsOf(pool), before, beforeLength)) return false;
  return heldIn(pool) == 0 || (settingsMode == poolMode(pool) && settingsFamily == poolFamily(pool));
}

/** Whether nothing and nobody needs the pool any more. */
export function canRetire(pool: usize): bool {
  return heldIn(pool) == 0 && firstUserOf(pool) == 0;
}

function heldIn(pool: usize): u32 {
  return load<u32>(pool, LIVE_LEASES) + load<u32>(pool, COOLING_LEASES);
}

/** What a definition did, for its answer. */
export let created: bool = false;
export let changed: bool = false;
export let revision: u64 = 0;
export let outside: u32 = 0;

function checkRevision(wanted: u64, actual: u64): bool {
  if (wanted == ANY_REVISION || wanted == actual) return true;
  since(actual);
  return refuse(PRECONDITION_FAILED, RULE_REVISION);
}

// --- pools -------------------------------------------------------------------------------------------

export function definePool(): bool {
  const name = readText16();
  const nameLength = textSize;
  const wanted = readU64();
  const length = readU32();
  const settings = readBytes(length);
  about(name, nameLength);
  if (!isName(name, nameLength)) return refuse(INVALID, RULE_NAME);
  if (!openSettings(settings, length)) return refuse(INVALID, RULE_KIND);
  if (!checkSettings()) return false;
  const pool = findPool(name, nameLength);
  if (!checkOverlap(pool)) return false;
  about(name, nameLength);
  if (!checkReserved()) return false;
  if (!checkRevision(wanted, pool == 0 ? 0 : poolRevision(pool))) return false;
  created = pool == 0;
  if (created) {
    if (load<u32>(POOL_COUNT) >= POOLS_MAX) {
      counting(load<u32>(POOL_COUNT));
      return refuse(TOO_LARGE, RULE_POOL_COUNT);
    }
    beginEvent(POOL_DEFINED, 0);
    writeText8(name, nameLength);
    writeU32(length);
    writeBytes(settings, length);
    endEvent();
    poolDefined(name, nameLength, settings, length);
    changed = true;
    revision = load<u64>(POSITION);
    outside = 0;
    return true;
  }
  revision = poolRevision(pool);
  outside = leasesOutside(pool);
  changed = keptLength(pool) != length || !sameBytes(settingsOf(pool), settings, length);
  if (!changed) return true;
  const held = heldIn(pool);
  if (held != 0 && (settingsMode != poolMode(pool) || settingsFamily != poolFamily(pool))) {
    counting(held);
    return refuse(IN_USE, RULE_MODE_IN_USE);
  }
  beginEvent(POOL_CHANGED, 0);
  writeText8(name, nameLength);
  writeU32(keptLength(pool));
  writeBytes(settingsOf(pool), keptLength(pool));
  writeU32(length);
  writeBytes(settings, length);
  endEvent();
  poolChanged(pool, settings, length);
  revision = load<u64>(POSITION);
  outside = leasesOutside(pool);
  return true;
}

function settle(pool: usize, settings: usize, length: u32): void {
  setSettings(pool, settings, length, settingsMode, settingsFamily, settingsDraining, settingsLease, settingsGrace, settingsCooldown);
  takeOverReserved(pool);
  addWanted(pool);
}

export function poolDefined(name: usize, nameLength: u32, settings: usize, length: u32): void {
  advance();
  openSettings(settings, length);
  const pool = newPool(name, nameLength);
  setRevision(pool, load<u64>(POSITION));
  settle(pool, settings, length);
}

export function poolChanged(pool: usize, settings: usize, length: u32): void {
  advance();
  openSettings(settings, length);
  setRevision(pool, load<u64>(POSITION));
  if (settingsMode != poolMode(pool) || settingsFamily != poolFamily(pool)) {
    forgetEndedOf(pool);
    removePrefixes(pool);
  } else removeUnwanted(pool);
  settle(pool, settings, length);
  countLeases(pool);
}

/**
 * Of the endpoints whose chain names the pool the one that was changed longest ago, 0 if there is none. Not as the
 * list has them: a snapshot turns the list round, and a restored core must give the answer the live one gives.
 */
function firstUserOf(pool: usize): usize {
  let first: usize = 0;
  let endpoint = <usize>load<u32>(ENDPOINT_HEAD);
  while (endpoint != 0) {
    if (chainNames(endpoint, pool) && (first == 0 || endpointRevision(endpoint) < endpointRevision(first))) first = endpoint;
    endpoint = load<u32>(endpoint, FOLLOWING_ENDPOINT);
  }
  return first;
}

export function retirePool(): bool {
  const name = readText16();
  const nameLength = textSize;
  const wanted = readU64();
  about(name, nameLength);
  const pool = nameLength <= 64 ? findPool(name, nameLength) : 0;
  if (pool == 0) return refuse(NOT_FOUND, RULE_POOL_UNKNOWN);
  if (!checkRevision(wanted, poolRevision(pool))) return false;
  const held = heldIn(pool);
  if (held != 0) {
    counting(held);
    return refuse(IN_USE, RULE_POOL_HAS_LEASES);
  }
  const user = firstUserOf(pool);
  if (user != 0) {
    const text = endpointName(user);
    against(textBytes(text), textLength(text));
    return refuse(IN_USE, RULE_POOL_IN_CHAIN);
  }
  beginEvent(POOL_RETIRED, 0);
  writeText8(name, nameLength);
  writeU32(keptLength(pool));
  writeBytes(settingsOf(pool), keptLength(pool));
  endEvent();
  poolRetired(pool);
  revision = load<u64>(POSITION);
  return true;
}

export function poolRetired(pool: usize): void {
  advance();
  forgetEndedOf(pool);
  removePrefixes(pool);
  dropQueues(pool);
  dropPool(pool);
}

// --- endpoints -----------------------------------------------------------------------------------------
// Settings: u8 policy, u8 groups, then for each: u8 pools, and their names (u8 length, bytes).

/** Checks a chain; its pools' places go to `chain` if that is given. */
function readChain(at: usize, length: u32, chain: usize): bool {
  if (length < 2) return refuse(INVALID, RULE_KIND);
  const end = at + length;
  const groups = load<u8>(at, 1);
  if (load<u8>(at) > POLICY_APPEND) return refuse(INVALID, RULE_MODE);
  if (groups == 0 || groups > GROUPS_MAX) return refuse(INVALID, RULE_CHAIN_SIZE);
  let p = at + 2;
  let q = chain;
  chainBytes = 4;
  if (q != 0) {
    store<u32>(q, groups);
    q += 4;
  }
  for (let g: u32 = 0; g < groups; g++) {
    if (p >= end) return refuse(INVALID, RULE_KIND);
    const pools = load<u8>(p);
    p++;
    if (pools == 0 || pools > GROUP_POOLS_MAX) return refuse(INVALID, RULE_CHAIN_SIZE);
    chainBytes += 4 + (<u32>pools << 2);
    if (q != 0) {
      store<u32>(q, pools);
      q += 4;
    }
    for (let i: u32 = 0; i < pools; i++) {
      if (p >= end || p + 1 + load<u8>(p) > end) return refuse(INVALID, RULE_KIND);
      const size = <u32>load<u8>(p);
      const pool = findPool(p + 1, size);
      if (pool == 0) {
        about(p + 1, size);
        return refuse(NOT_FOUND, RULE_POOL_UNKNOWN);
      }
      if (q != 0) {
        store<u32>(q, <u32>pool);
        q += 4;
      } else if (isNamedBefore(at + 2, p)) {
        about(p + 1, size);
        return refuse(INVALID, RULE_POOL_TWICE);
      }
      p += 1 + size;
    }
  }
  return p == end || refuse(INVALID, RULE_KIND);
}

let chainBytes: u32 = 0;

/** Whether the name at `name` stands earlier in the chain: a client has one lease in a pool. */
function isNamedBefore(start: usize, name: usize): bool {
  let p = start;
  while (true) {
    const pools = load<u8>(p);
    p++;
    for (let i: u32 = 0; i < pools; i++) {
      if (p >= name) return false;
      if (load<u8>(p) == load<u8>(name) && sameBytes(p + 1, name + 1, load<u8>(p))) return true;
      p += 1 + <usize>load<u8>(p);
    }
  }
}

export function defineEndpoint(): bool {
  const name = readText16();
  const nameLength = textSize;
  const wanted = readU64();
  const length = readU32();
  const settings = readBytes(length);
  about(name, nameLength);
  if (!isName(name, nameLength)) return refuse(INVALID, RULE_NAME);
  if (!readChain(settings, length, 0)) return false;
  const record = findEndpointRecord(name, nameLength);
  const known = record != 0 && isDefined(record);
  if (!checkRevision(wanted, known ? endpointRevision(record) : 0)) return false;
  if (record == 0 && load<u32>(ENDPOINT_COUNT) >= ENDPOINTS_MAX) {
    counting(load<u32>(ENDPOINT_COUNT));
    return refuse(TOO_LARGE, RULE_ENDPOINT_COUNT);
  }
  created = !known;
  changed = !known || endpointSettingsLength(record) != length || !sameBytes(endpointSettings(record), settings, length);
  if (!changed) {
    revision = endpointRevision(record);
    return true;
  }
  beginEvent(known ? ENDPOINT_CHANGED : ENDPOINT_DEFINED, 0);
  writeText8(name, nameLength);
  if (known) {
    writeU32(endpointSettingsLength(record));
    writeBytes(endpointSettings(record), endpointSettingsLength(record));
  }
  writeU32(length);
  writeBytes(settings, length);
  endEvent();
  endpointDefined(name, nameLength, settings, length);
  revision = load<u64>(POSITION);
  return true;
}

/** endpoint-defined and endpoint-changed. False when the event names a pool that is not there. */
export function endpointDefined(name: usize, nameLength: u32, settings: usize, length: u32): bool {
  advance();
  return placeEndpoint(name, nameLength, settings, length, load<u64>(POSITION));
}

/** Gives the named endpoint its chain. */
export function placeEndpoint(name: usize, nameLength: u32, settings: usize, length: u32, position: u64): bool {
  if (!readChain(settings, length, 0)) return false;
  const bytes = chainBytes;
  const chain = take(bytes);
  readChain(settings, length, chain);
  let endpoint = findEndpointRecord(name, nameLength);
  if (endpoint == 0) endpoint = newEndpoint(name, nameLength);
  const kept = take(length);
  memory.copy(kept, settings, length);
  setChain(endpoint, position, kept, length, load<u8>(settings), chain, bytes);
  return true;
}

export function retireEndpoint(): bool {
  const name = readText16();
  const nameLength = textSize;
  const wanted = readU64();
  about(name, nameLength);
  const endpoint = nameLength <= 64 ? findEndpoint(name, nameLength) : 0;
  if (endpoint == 0) return refuse(NOT_FOUND, RULE_ENDPOINT_UNKNOWN);
  if (!checkRevision(wanted, endpointRevision(endpoint))) return false;
  beginEvent(ENDPOINT_RETIRED, 0);
  writeText8(name, nameLength);
  endEvent();
  endpointRetired(endpoint);
  revision = load<u64>(POSITION);
  return true;
}

export function endpointRetired(endpoint: usize): void {
  advance();
  clearChain(endpoint);
}
