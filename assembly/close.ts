// Ending leases: by close, by cancel, by an operator, by time.
import { now } from "./envelope";
import { allocate } from "./arena";
import { chainOf } from "./endpoint";
import { LEASE_COOLED, LEASE_EXPIRED, LEASE_RELEASED, RELEASED_CANCELLED, RELEASED_CLOSED, RELEASED_OPERATOR, writeAbout } from "./event";
import { effectiveExpiry, leaseCancelled, leaseCooled, leaseExpired, leaseReleased, recordIn } from "./evolve";
import { COOLING, FRESH, LIVE, OPENS_MASK, UNCLOSED, connectionOf, endpointOf, expiresAt, findLease, hasFlag, leaseId, statusOf } from "./lease";
import { COOLING_ROOT, FOLLOWING, graceMs } from "./pool";
import { bucketHead, bucketSecond, firstBucket, firstQueue, nextBucket, nextInBucket, nextQueue, queueOpening } from "./queue";
import { GRACE_FROM, GRACE_UNTIL, OPEN_COUNT, POOL_HEAD } from "./layout";
import { NOT_FOUND, RULE_LEASE_UNKNOWN, refuse, since } from "./refusal";
import { readU32, readU64 } from "./record";
import { callerClient, callerConnection, callerConnectionAt, callerConnectionLength, callerEndpoint, lookUpClient, readCaller } from "./request";

/** Leases ended by the command; what its answer says. */
export let endedCount: u32 = 0;
export let cooledCount: u32 = 0;
export let moreDue: bool = false;

const LARGEST_SAID: u64 = (1 << 53) - 1;

/**
 * Closes a connection: its leases in the endpoint's chain end. A close for another connection than the
 * one that asked last comes too late and frees nothing.
 */
export function close(cancel: bool): bool {
  endedCount = 0;
  if (!readCaller()) return false;
  const endpoint = callerEndpoint();
  let at = chainOf(endpoint);
  const groups = load<u32>(at);
  at += 4;
  for (let g: u32 = 0; g < groups; g++) {
    const pools = load<u32>(at);
    at += 4;
    for (let i: u32 = 0; i < pools; i++) {
      const client = callerClient();
      if (client == 0) return true;
      const lease = recordIn(client, <usize>load<u32>(at));
      at += 4;
      if (lease == 0 || connectionOf(lease) != callerConnection()) continue;
      const live = statusOf(lease) == LIVE;
      if (cancel ? !(live && hasFlag(lease, FRESH)) : !(live || hasFlag(lease, UNCLOSED))) continue;
      writeAbout(LEASE_RELEASED, lease, endpoint, cancel ? RELEASED_CANCELLED : RELEASED_CLOSED, 0, 0, callerConnectionAt(), callerConnectionLength());
      if (cancel) leaseCancelled(lease);
      else leaseReleased(lease);
      endedCount++;
      // Ending the last lease of a client forgets the client.
      lookUpClient();
    }
  }
  return true;
}

/** An operator takes a live lease away. */
export function releaseLease(): bool {
  endedCount = 0;
  const id = readU64();
  const lease = findLease(id);
  if (lease == 0 || statusOf(lease) != LIVE) {
    // A number that no lease can have is not said back: readers of refusals take whole numbers up to 2^53 - 1.
    if (id <= LARGEST_SAID) since(id);
    return refuse(NOT_FOUND, RULE_LEASE_UNKNOWN);
  }
  writeAbout(LEASE_RELEASED, lease, endpointOf(lease), RELEASED_OPERATOR, 0, 0, 0, 0);
  leaseReleased(lease);
  endedCount = 1;
  return true;
}

// --- by time -----------------------------------------------------------------------------------------
// The due leases of a tick, as a heap with the latest on top: never more than the tick may end.
// 24 bytes: u64 due, u64 recorded time, u32 lease.

const DUE: usize = 0;
const TIME: usize = 8;
const LEASE: usize = 16;
const ENTRY: usize = 24;
export const LIMIT_MAX: u32 = 16384;

let heap: usize = 0;
let heapSize: u32 = 0;
let heapLimit: u32 = 0;

// @ts-ignore: decorator
@inline
function slot(i: u32): usize {
  return heap + <usize>i * ENTRY;
}

function later(a: usize, b: usize): bool {
  const aDue = load<u64>(a, DUE);
  const bDue = load<u64>(b, DUE);
  if (aDue != bDue) return aDue > bDue;
  const aTime = load<u64>(a, TIME);
  const bTime = load<u64>(b, TIME);
  if (aTime != bTime) return aTime > bTime;
  return leaseId(load<u32>(a, LEASE)) > leaseId(load<u32>(b, LEASE));
}

function swap(a: usize, b: usize): void {
  for (let i: usize = 0; i < ENTRY; i += 8) {
    const x = load<u64>(a + i);
    store<u64>(a + i, load<u64>(b + i));
    store<u64>(b + i, x);
  }
}

function sink(from: u32, size: u32): void {
  let i = from;
  while (true) {
    let child = (i << 1) + 1;
    if (child >= size) return;
    if (child + 1 < size && later(slot(child + 1), slot(child))) child++;
    if (!later(slot(child), slot(i))) return;
    swap(slot(child), slot(i));
    i = child;
  }
}

function offer(due: u64, time: u64, lease: usize): void {
  const spare = slot(heapLimit);
  store<u64>(spare, due, DUE);
  store<u64>(spare, time, TIME);
  store<u64>(spare, lease, LEASE);
  if (heapSize == heapLimit) {
    moreDue = true;
    if (!later(slot(0), spare)) return;
    swap(slot(0), spare);
    sink(0, heapSize);
    return;
  }
  let i = heapSize;
  swap(slot(i), spare);
  heapSize++;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!later(slot(i), slot(parent))) return;
    swap(slot(i), slot(parent));
    i = parent;
  }
}

/** Whether nothing due at or after `due` can still displace what the tick has. */
function isFullBefore(due: u64): bool {
  return heapSize == heapLimit && load<u64>(slot(0), DUE) < due;
}

function gatherLive(pool: usize): void {
  let queue = firstQueue(pool);
  while (queue != 0) {
    // Only leases that have not come back since the opening share its grace.
    const graced = queueOpening(queue) != (load<u32>(OPEN_COUNT) & OPENS_MASK);
    gatherQueue(queue, graceMs(pool), graced ? load<u64>(GRACE_FROM) : 0, graced ? load<u64>(GRACE_UNTIL) : 0);
    queue = nextQueue(queue);
  }
}

/** `from` and `until` bound the grace window of the queue's leases; both 0 if they have none. */
function gatherQueue(root: usize, grace: u64, from: u64, until: u64): void {
  let bucket = firstBucket(root);
  while (bucket != 0) {
    const start = bucketSecond(bucket) * 1000;
    // Whole buckets inside the grace after a downtime run out together, at its end.
    const earliest = start > from && start < until ? until : start;
    if (earliest + grace > now) return;
    const full = isFullBefore(earliest + grace);
    if (full && moreDue) return;
    let lease = bucketHead(bucket);
    while (lease != 0) {
      const due = effectiveExpiry(lease) + grace;
      if (due <= now) {
        if (full) {
          moreDue = true;
          return;
        }
        offer(due, expiresAt(lease), lease);
      }
      lease = nextInBucket(lease);
    }
    // What is due together, at the end of the grace window, goes by its recorded time: a full tick need not
    // look at what follows in the window.
    if (earliest == until && isFullBefore(until + grace + 1) && moreDue) return;
    bucket = nextBucket(root, bucket);
  }
}

function gatherCooling(pool: usize): void {
  const root = pool + COOLING_ROOT;
  let bucket = firstBucket(root);
  while (bucket != 0) {
    const start = bucketSecond(bucket) * 1000;
    if (start > now) return;
    const full = isFullBefore(start);
    if (full && moreDue) return;
    let lease = bucketHead(bucket);
    while (lease != 0) {
      const due = expiresAt(lease);
      if (due <= now) {
        if (full) {
          moreDue = true;
          return;
        }
        offer(due, due, lease);
      }
      lease = nextInBucket(lease);
    }
    bucket = nextBucket(root, bucket);
  }
}

/** Ends at most the given number of leases whose time is over, the longest due first. */
export function expire(): bool {
  endedCount = 0;
  cooledCount = 0;
  moreDue = false;
  heapLimit = min(max(readU32(), 1), LIMIT_MAX);
  if (heap == 0) heap = allocate((LIMIT_MAX + 1) * <u32>ENTRY);
  heapSize = 0;
  let pool = <usize>load<u32>(POOL_HEAD);
  while (pool != 0) {
    gatherLive(pool);
    gatherCooling(pool);
    pool = load<u32>(pool, FOLLOWING);
  }
  // Heap order to ascending order.
  for (let size = heapSize; size > 1; size--) {
    swap(slot(0), slot(size - 1));
    sink(0, size - 1);
  }
  for (let i: u32 = 0; i < heapSize; i++) {
    const lease = <usize>load<u32>(slot(i), LEASE);
    if (statusOf(lease) == COOLING) {
      writeAbout(LEASE_COOLED, lease, endpointOf(lease), 0, 0, 0, 0, 0);
      leaseCooled(lease);
      cooledCount++;
    } else {
      writeAbout(LEASE_EXPIRED, lease, endpointOf(lease), 0, effectiveExpiry(lease), 0, 0, 0);
      leaseExpired(lease);
      endedCount++;
    }
  }
  return true;
}
