// The digest of the state: a sum over its parts, so that equal states have equal digests whatever the
// order they were reached in. What is held is not part of it: it follows from the leases.
import { digestBytes, fold } from "./digest";
import { clientId, clientIdLength, clientName, clientNameLength } from "./client";
import { FOLLOWING_ENDPOINT, endpointName, endpointRevision, endpointSettings, endpointSettingsLength, isDefined } from "./endpoint";
import { BLOCKS, ENDPOINT_HEAD, GRACE_FROM, GRACE_UNTIL, LAST_TIME, LEASES, OPENED_POSITION, OPEN_COUNT, POOL_HEAD, POSITION } from "./layout";
import { clientOf, connectionOf, dstHi, dstLo, endpointOf, expiresAt, leaseId, poolOf, srcHi, srcLo, stateOf } from "./lease";
import { FOLLOWING, SHARED_HEAD, poolName, poolRevision, settingsLength, settingsOf } from "./pool";
import { blockFamily, blockHi, blockLo, issuedBits } from "./occupancy";
import { NEXT_SHARED, sharedUsers } from "./holding";
import { BRIEF_WALK, nextOfWalk, startWalk } from "./table";
import { textBytes, textLength } from "./text";

let sumA: u64 = 0;
let sumB: u64 = 0;

function add(part: u64): void {
  sumA += part;
  sumB += fold(part, 0x5bd1e995);
}

function addIssued(): void {
  startWalk(BRIEF_WALK, BLOCKS);
  let block = nextOfWalk(BRIEF_WALK);
  while (block != 0) {
    add(fold(fold(fold(fold(18, blockFamily(block)), blockHi(block)), blockLo(block)), issuedBits(block)));
    block = nextOfWalk(BRIEF_WALK);
  }
}

function textDigest(block: usize, seed: u64): u64 {
  return digestBytes(textBytes(block), textLength(block), seed);
}

function addPools(): void {
  let pool = <usize>load<u32>(POOL_HEAD);
  while (pool != 0) {
    const name = textDigest(poolName(pool), 11);
    add(fold(digestBytes(settingsOf(pool), settingsLength(pool), name), poolRevision(pool)));
    let shared = <usize>load<u32>(pool, SHARED_HEAD);
    let place: u64 = 0;
    while (shared != 0) {
      add(fold(fold(fold(fold(fold(name, 13), place), load<u64>(shared)), load<u64>(shared, 8)), sharedUsers(shared)));
      place++;
      shared = load<u32>(shared, NEXT_SHARED);
    }
    pool = load<u32>(pool, FOLLOWING);
  }
}

function addEndpoints(): void {
  let endpoint = <usize>load<u32>(ENDPOINT_HEAD);
  while (endpoint != 0) {
    if (isDefined(endpoint)) {
      add(fold(digestBytes(endpointSettings(endpoint), endpointSettingsLength(endpoint), textDigest(endpointName(endpoint), 14)), endpointRevision(endpoint)));
    }
    endpoint = load<u32>(endpoint, FOLLOWING_ENDPOINT);
  }
}

function addLeases(): void {
  startWalk(BRIEF_WALK, LEASES);
  let lease = nextOfWalk(BRIEF_WALK);
  while (lease != 0) {
    const client = clientOf(lease);
    let d = digestBytes(clientId(client), clientIdLength(client), digestBytes(clientName(client), clientNameLength(client), 15));
    d = textDigest(poolName(poolOf(lease)), d);
    d = textDigest(endpointName(endpointOf(lease)), d);
    d = fold(fold(fold(fold(d, leaseId(lease)), expiresAt(lease)), connectionOf(lease)), stateOf(lease));
    add(fold(fold(fold(fold(d, dstHi(lease)), dstLo(lease)), srcHi(lease)), srcLo(lease)));
    lease = nextOfWalk(BRIEF_WALK);
  }
}

/** Writes the 16 bytes of the digest. */
export function hashState(at: usize): void {
  sumA = 0;
  sumB = 0;
  add(fold(fold(fold(16, load<u64>(POSITION)), load<u64>(LAST_TIME)), load<u64>(OPENED_POSITION)));
  add(fold(fold(fold(17, load<u64>(GRACE_FROM)), load<u64>(GRACE_UNTIL)), load<u32>(OPEN_COUNT)));
  addIssued();
  addPools();
  addEndpoints();
  addLeases();
  store<u64>(at, sumA);
  store<u64>(at, sumB, 8);
}
