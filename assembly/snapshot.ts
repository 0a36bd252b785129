// The state as bytes, record by record, and back. Records are never split between chunks. Who holds which address
// is not written: it follows from the leases. What was ever issued is, because nothing else remembers it.
//
// Layout in docs/events.md, "Snapshots". Reading something else than this version stops the program:
// the host then replays the log instead.
import { V4, V6 } from "./address";
import { reserve } from "./arena";
import { addClient, clientId, clientIdLength, clientName, clientNameLength, findClient, identityHash } from "./client";
import { placeEndpoint } from "./configure";
import { digestBytes } from "./digest";
import {
  FOLLOWING_ENDPOINT,
  endpointName,
  endpointRevision,
  endpointSettings,
  endpointSettingsLength,
  findEndpointRecord,
  forgetFoundEndpoint,
  isDefined,
  newEndpoint,
} from "./endpoint";
import { FAULT_EVENT, FAULT_MEMORY, FAULT_PROTOCOL, stop } from "./fault";
import { NEXT_SHARED, countHere, holdOne, linkShared, sharedUsers } from "./holding";
import { tentative } from "./journal";
import {
  ADDRESSES,
  BLOCKS,
  CLIENTS,
  COOLING_COUNT,
  ENDED_HEAD,
  ENDPOINT_COUNT,
  ENDPOINT_HEAD,
  GRACE_FROM,
  GRACE_UNTIL,
  LAST_TIME,
  LEASES,
  LIVE_COUNT,
  OPENED_POSITION,
  OPEN_COUNT,
  POOL_COUNT,
  POOL_HEAD,
  POSITION,
} from "./layout";
import {
  COOLING,
  ENDED,
  LIVE,
  QUEUE_NEXT,
  STOLEN,
  clientOf,
  connectionOf,
  dstHi,
  dstLo,
  endpointOf,
  enterAddresses,
  enterLease,
  expiresAt,
  familyOf,
  hasFlag,
  isSingle,
  leaseId,
  newLease,
  opensSeen,
  poolOf,
  setState,
  srcHi,
  srcLo,
  stateOf,
  statusOf,
} from "./lease";
import { blockFamily, blockHi, blockLo, issuedBits, restoreIssued } from "./occupancy";
import {
  COOLING_LEASES,
  COOLING_ROOT,
  FOLLOWING,
  LIVE_LEASES,
  NEXT_PREFIX,
  PREFIX_HEAD,
  SHARED_HEAD,
  findPool,
  newPool,
  newPrefix,
  poolFamily,
  poolName,
  poolRevision,
  prefixRoot,
  setRevision,
  setSettings,
  settingsLength as keptLength,
  settingsOf,
} from "./pool";
import { appendEnded, enqueue, expiryQueue } from "./queue";
import {
  inputAt,
  inputLeft,
  openAnswer,
  openInput,
  outAt,
  outLength,
  readBytes,
  readHi,
  readLo,
  readAddress,
  readText8,
  readU32,
  readU64,
  readU8,
  roomForOutput,
  startOutput,
  textSize,
  writeAddress,
  writeBytes,
  writeText8,
  writeU32,
  writeU64,
  writeU8,
} from "./record";
import { openSettings, settingsAddress, settingsCooldown, settingsDraining, settingsFamily, settingsGrace, settingsHi, settingsLease, settingsLength, settingsLo, settingsMode, settingsPrefixes, takeOverReserved } from "./settings";
import { SNAPSHOT_WALK, nextOfWalk, startWalk, tableCount, widenTable } from "./table";
import { textBytes, textLength } from "./text";
import { insertNode } from "./tree";

export const SNAPSHOT_VERSION: u32 = 3;
const MAGIC: u32 = 0x4e534648; // "HFSN"

const REALM_RECORD: u32 = 1;
const POOL_RECORD: u32 = 2;
const SHARED_RECORD: u32 = 3;
const ENDPOINT_RECORD: u32 = 4;
const BLOCK_RECORD: u32 = 5;
const LEASE_RECORD: u32 = 6;
const END_RECORD: u32 = 7;

const CHUNK: u32 = 1 << 18;
/** The largest record: a pool with all the prefixes and reserved ranges it may have. */
const RECORD_MAX: u32 = 65536;

// --- writing -------------------------------------------------------------------------------------------

const DIGEST_SEED: u64 = 20;

/** Digest of the chunks written so far. */
let written: u64 = DIGEST_SEED;
let phase: u32 = 0;
let pool: usize = 0;
let shared: usize = 0;
let endpoint: usize = 0;
let lease: usize = 0;

export function snapshotStart(): void {
  if (tentative() != 0) stop(FAULT_PROTOCOL);
  phase = 0;
  written = DIGEST_SEED;
}

function writeRealm(): void {
  writeU8(REALM_RECORD);
  writeU32(MAGIC);
  writeU32(SNAPSHOT_VERSION);
  writeU64(load<u64>(POSITION));
  writeU64(load<u64>(LAST_TIME));
  writeU64(load<u64>(OPENED_POSITION));
  writeU64(load<u64>(GRACE_FROM));
  writeU64(load<u64>(GRACE_UNTIL));
  writeU32(load<u32>(OPEN_COUNT));
  writeU32(load<u32>(POOL_COUNT));
  writeU32(load<u32>(ENDPOINT_COUNT));
  writeU32(tableCount(CLIENTS));
  writeU32(tableCount(LEASES));
  writeU32(tableCount(ADDRESSES));
  writeU32(tableCount(BLOCKS));
}

function writePool(): void {
  writeU8(POOL_RECORD);
  const name = poolName(pool);
  writeText8(textBytes(name), textLength(name));
  writeU64(poolRevision(pool));
  writeU32(keptLength(pool));
  writeBytes(settingsOf(pool), keptLength(pool));
}

function writeBlock(block: usize): void {
  writeU8(BLOCK_RECORD);
  writeU8(blockFamily(block));
  writeU64(blockHi(block));
  writeU64(blockLo(block));
  writeU64(issuedBits(block));
}

function writeEndpoint(): void {
  writeU8(ENDPOINT_RECORD);
  const name = endpointName(endpoint);
  writeText8(textBytes(name), textLength(name));
  writeU64(endpointRevision(endpoint));
  const length = isDefined(endpoint) ? endpointSettingsLength(endpoint) : 0;
  writeU32(length);
  if (length != 0) writeBytes(endpointSettings(endpoint), length);
}

function writeLease(): void {
  writeU8(LEASE_RECORD);
  const family = familyOf(lease);
  writeU8(family);
  writeU8(isSingle(lease) ? 1 : 0);
  writeU32(stateOf(lease));
  writeU64(leaseId(lease));
  writeU64(expiresAt(lease));
  writeU64(connectionOf(lease));
  writeAddress(family, dstHi(lease), dstLo(lease));
  writeAddress(family, srcHi(lease), srcLo(lease));
  const poolText = poolName(poolOf(lease));
  writeText8(textBytes(poolText), textLength(poolText));
  const endpointText = endpointName(endpointOf(lease));
  writeText8(textBytes(endpointText), textLength(endpointText));
  const client = clientOf(lease);
  writeText8(clientName(client), clientNameLength(client));
  writeText8(clientId(client), clientIdLength(client));
}

function nextLease(): bool {
  lease = nextOfWalk(SNAPSHOT_WALK);
  while (lease != 0 && statusOf(lease) == ENDED) lease = nextOfWalk(SNAPSHOT_WALK);
  return lease != 0;
}

/** Writes the next record; false when there is none left. */
function step(): bool {
  while (true) {
    switch (phase) {
      case 0:
        writeRealm();
        pool = load<u32>(POOL_HEAD);
        phase = 1;
        return true;
      case 1:
        if (pool == 0) {
          endpoint = load<u32>(ENDPOINT_HEAD);
          phase = 3;
          break;
        }
        writePool();
        shared = load<u32>(pool, SHARED_HEAD);
        phase = 2;
        return true;
      case 2:
        if (shared == 0) {
          pool = load<u32>(pool, FOLLOWING);
          phase = 1;
          break;
        }
        writeU8(SHARED_RECORD);
        writeU64(load<u64>(shared));
        writeU64(load<u64>(shared, 8));
        writeU32(sharedUsers(shared));
        shared = load<u32>(shared, NEXT_SHARED);
        return true;
      case 3:
        if (endpoint == 0) {
          startWalk(SNAPSHOT_WALK, BLOCKS);
          phase = 4;
          break;
        }
        writeEndpoint();
        endpoint = load<u32>(endpoint, FOLLOWING_ENDPOINT);
        return true;
      case 4: {
        const block = nextOfWalk(SNAPSHOT_WALK);
        if (block == 0) {
          startWalk(SNAPSHOT_WALK, LEASES);
          phase = 5;
          break;
        }
        writeBlock(block);
        return true;
      }
      case 5:
        if (!nextLease()) {
          lease = load<u32>(ENDED_HEAD);
          phase = 6;
          break;
        }
        writeLease();
        return true;
      case 6:
        if (lease == 0) {
          phase = 7;
          // A lease that is lost frees its addresses: a snapshot that lost one must not restore as if it were whole.
          const before = digestBytes(outAt(), outLength(), written);
          writeU8(END_RECORD);
          writeU64(before);
          return true;
        }
        writeLease();
        lease = load<u32>(lease, QUEUE_NEXT);
        return true;
      default:
        return false;
    }
  }
}

/** Writes the next chunk to the answers; gives its length, 0 when the snapshot is complete. */
export function snapshotNext(): u32 {
  startOutput();
  if (!roomForOutput(CHUNK + RECORD_MAX, 0)) stop(FAULT_MEMORY);
  openAnswer();
  while (outLength() < CHUNK) {
    if (!step()) break;
  }
  const length = outLength();
  written = digestBytes(outAt(), length, written);
  // The bytes stand as they are, without the length a record would carry.
  return length;
}

// --- reading -------------------------------------------------------------------------------------------

let intoPool: usize = 0;
let complete: bool = false;
/** Digest of the chunks restored so far. */
let restored: u64 = DIGEST_SEED;

function readRealm(): void {
  if (load<u64>(POSITION) != 0 || readU32() != MAGIC || readU32() != SNAPSHOT_VERSION) stop(FAULT_EVENT);
  store<u64>(POSITION, readU64());
  store<u64>(LAST_TIME, readU64());
  store<u64>(OPENED_POSITION, readU64());
  store<u64>(GRACE_FROM, readU64());
  store<u64>(GRACE_UNTIL, readU64());
  store<u32>(OPEN_COUNT, readU32());
  readU32();
  readU32();
  const clients = readU32();
  const leases = readU32();
  const addresses = readU32();
  const blocks = readU32();
  // Tables are as wide as these say: numbers that no realm can have must not fill the memory before they are found out.
  if (clients > leases || addresses > leases * 2) stop(FAULT_EVENT);
  const bytes = <u64>leases * 160 + <u64>clients * 80 + <u64>blocks * 48;
  if (bytes > u32.MAX_VALUE || !reserve(<u32>bytes)) stop(FAULT_MEMORY);
  widenTable(CLIENTS, clients);
  widenTable(LEASES, leases);
  widenTable(ADDRESSES, addresses);
  widenTable(BLOCKS, blocks);
}

function readPool(): void {
  const name = readText8();
  const nameLength = textSize;
  const revision = readU64();
  const length = readU32();
  const settings = readBytes(length);
  if (!openSettings(settings, length)) stop(FAULT_EVENT);
  intoPool = newPool(name, nameLength);
  setRevision(intoPool, revision);
  setSettings(intoPool, settings, length, settingsMode, settingsFamily, settingsDraining, settingsLease, settingsGrace, settingsCooldown);
  takeOverReserved(intoPool);
  let link = intoPool + PREFIX_HEAD;
  for (let i: u32 = 0; i < settingsPrefixes; i++) {
    settingsAddress(i);
    const made = newPrefix(intoPool, settingsFamily, settingsHi, settingsLo, settingsLength);
    insertNode(prefixRoot(settingsFamily), made);
    store<u32>(link, <u32>made);
    link = made + NEXT_PREFIX;
  }
}

function readBlock(): void {
  const family = readU8();
  const hi = readU64();
  const lo = readU64();
  if (family != V4 && family != V6) stop(FAULT_EVENT);
  restoreIssued(family, hi, lo, readU64());
}

function readShared(): void {
  if (intoPool == 0) stop(FAULT_EVENT);
  const hi = readU64();
  const lo = readU64();
  linkShared(intoPool, hi, lo, readU32());
  holdOne(poolFamily(intoPool), hi, lo);
}

function readEndpoint(): void {
  const name = readText8();
  const nameLength = textSize;
  const revision = readU64();
  const length = readU32();
  forgetFoundEndpoint();
  if (length == 0) newEndpoint(name, nameLength);
  else if (!placeEndpoint(name, nameLength, readBytes(length), length, revision)) stop(FAULT_EVENT);
}

function readLease(): void {
  const family = readU8();
  const single = readU8() != 0;
  const state = readU32();
  const id = readU64();
  const expires = readU64();
  const connection = readU64();
  readAddress(family);
  const dHi = readHi;
  const dLo = readLo;
  readAddress(family);
  const sHi = readHi;
  const sLo = readLo;
  const poolAt = readText8();
  const holder = findPool(poolAt, textSize);
  const endpointAt = readText8();
  const by = findEndpointRecord(endpointAt, textSize);
  if (holder == 0 || by == 0) stop(FAULT_EVENT);
  const name = readText8();
  const nameLength = textSize;
  const clientAt = readText8();
  const clientLength = textSize;
  const hash = identityHash(name, nameLength, clientAt, clientLength);
  let client = findClient(hash, name, nameLength, clientAt, clientLength);
  if (client == 0) client = addClient(hash, name, nameLength, clientAt, clientLength);
  const made = newLease(id, family, single, client, holder, by, connection, 0, 0, expires, dHi, dLo, sHi, sLo);
  setState(made, state);
  enterLease(made);
  if (!hasFlag(made, STOLEN)) enterAddresses(made);
  const status = statusOf(made);
  if (status != ENDED) {
    if (!single) holdOne(family, dHi, dLo);
    holdOne(family, sHi, sLo);
  }
  if (status == LIVE) {
    countHere(made, 1);
    enqueue(expiryQueue(holder, opensSeen(made)), made, expires);
    store<u32>(holder, load<u32>(holder, LIVE_LEASES) + 1, LIVE_LEASES);
    store<u32>(LIVE_COUNT, load<u32>(LIVE_COUNT) + 1);
  } else if (status == COOLING) {
    enqueue(holder + COOLING_ROOT, made, expires);
    store<u32>(holder, load<u32>(holder, COOLING_LEASES) + 1, COOLING_LEASES);
    store<u32>(COOLING_COUNT, load<u32>(COOLING_COUNT) + 1);
  } else appendEnded(made);
}

/** Restores from the chunk in the input; chunks come in the order they were written. */
export function restoreNext(length: u32): void {
  openInput(length);
  const start = inputAt();
  if (complete) stop(FAULT_EVENT);
  while (inputLeft() > 0) {
    const before = <u32>(inputAt() - start);
    const record = readU8();
    if (record == LEASE_RECORD) readLease();
    else if (record == BLOCK_RECORD) readBlock();
    else if (record == POOL_RECORD) readPool();
    else if (record == SHARED_RECORD) readShared();
    else if (record == ENDPOINT_RECORD) readEndpoint();
    else if (record == REALM_RECORD) readRealm();
    else if (record == END_RECORD) {
      if (readU64() != digestBytes(start, before, restored) || inputLeft() != 0) stop(FAULT_EVENT);
      complete = true;
    } else stop(FAULT_EVENT);
  }
  restored = digestBytes(start, length, restored);
}

/** Whether the last record has been restored. */
export function isRestored(): bool {
  return complete;
}
