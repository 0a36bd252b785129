// What each lease event does to the state: the only writer of leases, shared by deciding and replaying,
// so that a replayed log cannot differ from what was decided live.
import { FAULT_EVENT, stop } from "./fault";
import { put32, put64 } from "./journal";
import { COOLING_COUNT, ENDED_COUNT, ENDED_HEAD, GRACE_FROM, GRACE_UNTIL, LAST_TIME, LIVE_COUNT, OPENED_POSITION, OPEN_COUNT, POSITION } from "./layout";
import { advance, now } from "./envelope";
import { addClient, dropClientIfIdle, findClient, firstLease, identityHash } from "./client";
import {
  COOLING,
  ENDED,
  FRESH,
  LIVE,
  OPENS_MASK,
  OWN,
  STOLEN,
  UNCLOSED,
  clientOf,
  dropLease,
  enterAddresses,
  enterLease,
  expiresAt,
  hasFlag,
  leaseId,
  leaveAddresses,
  newLease,
  nextOfClient,
  opensSeen,
  poolOf,
  setExpires,
  setSeen,
  setState,
  setStatus,
  stateOf,
  statusOf,
} from "./lease";
import { COOLING_LEASES, COOLING_ROOT, LIVE_LEASES, MODE_SINGLE, cooldownMs, poolFamily, poolMode } from "./pool";
import { appendEnded, dequeue, enqueue, expiryQueue } from "./queue";
import { countHere, forgetEnded, freeAddresses, holdAddresses, pinShared, sharedAddress } from "./holding";

/** Ended leases remembered in a realm; beyond it the one that ended first is forgotten. */
export const ENDED_MAX: u32 = 1 << 20;

/** The client's record in the pool, whatever its status; 0 if none. */
export function recordIn(client: usize, pool: usize): usize {
  let at: usize = client == 0 ? 0 : firstLease(client);
  while (at != 0 && poolOf(at) != pool) at = nextOfClient(at);
  return at;
}

function count(at: usize, by: i32): void {
  put32(at, load<u32>(at) + by);
}

/** Makes room for a new record of the same client and pool. */
function forgetRecord(lease: usize): void {
  // Nobody grants or moves a lease to where its client has a live one; a log that says so is none of ours.
  if (statusOf(lease) == LIVE) stop(FAULT_EVENT);
  if (statusOf(lease) == ENDED) {
    forgetEnded(lease);
    return;
  }
  // Cooling: the cool-down is cut short, its own client is back.
  const client = clientOf(lease);
  const pool = poolOf(lease);
  dequeue(pool + COOLING_ROOT, lease);
  count(pool + COOLING_LEASES, -1);
  count(COOLING_COUNT, -1);
  leaveAddresses(lease);
  freeAddresses(lease);
  dropLease(lease);
  dropClientIfIdle(client);
}

function remember(lease: usize): void {
  appendEnded(lease);
  if (load<u32>(ENDED_COUNT) > ENDED_MAX) forgetEnded(load<u32>(ENDED_HEAD));
}

/** Makes a live record; the lease's number is `id`. */
function makeLease(
  id: u64,
  name: usize,
  nameLength: u32,
  clientIdAt: usize,
  clientIdSize: u32,
  pool: usize,
  endpoint: usize,
  connection: u64,
  flags: u32,
  expires: u64,
  dHi: u64,
  dLo: u64,
  sHi: u64,
  sLo: u64,
): void {
  const identity = identityHash(name, nameLength, clientIdAt, clientIdSize);
  let client = findClient(identity, name, nameLength, clientIdAt, clientIdSize);
  const single = poolMode(pool) == MODE_SINGLE;
  const family = poolFamily(pool);
  const old = recordIn(client, pool);
  let pinned: usize = 0;
  if (old != 0) {
    // The endpoint address of a cooling lease that comes back keeps its place among the shared ones.
    if (single && statusOf(old) == COOLING) pinned = sharedAddress(pool, dHi, dLo);
    if (pinned != 0) pinShared(pinned, 1);
    forgetRecord(old);
    client = findClient(identity, name, nameLength, clientIdAt, clientIdSize);
  }
  holdAddresses(pool, family, single, dHi, dLo, sHi, sLo);
  if (pinned != 0) pinShared(pinned, -1);
  // Taking the addresses may have forgotten this client's last record elsewhere, and the client with it.
  if (client == 0 || firstLease(client) == 0) client = findClient(identity, name, nameLength, clientIdAt, clientIdSize);
  if (client == 0) client = addClient(identity, name, nameLength, clientIdAt, clientIdSize);
  const lease = newLease(id, family, single, client, pool, endpoint, connection, load<u32>(OPEN_COUNT), flags, expires, dHi, dLo, sHi, sLo);
  enterLease(lease);
  enterAddresses(lease);
  enqueue(expiryQueue(pool, opensSeen(lease)), lease, expires);
  count(pool + LIVE_LEASES, 1);
  count(LIVE_COUNT, 1);
  countHere(lease, 1);
}

/** lease-granted. The lease's number is the event's position. */
export function leaseGranted(
  name: usize,
  nameLength: u32,
  clientIdAt: usize,
  clientIdSize: u32,
  pool: usize,
  endpoint: usize,
  connection: u64,
  own: bool,
  expires: u64,
  dHi: u64,
  dLo: u64,
  sHi: u64,
  sLo: u64,
): void {
  advance();
  makeLease(load<u64>(POSITION), name, nameLength, clientIdAt, clientIdSize, pool, endpoint, connection, FRESH | (own ? OWN : 0), expires, dHi, dLo, sHi, sLo);
}

/** lease-renewed and lease-restored: the expiry moves, who asked is noted. */
export function leaseRenewed(lease: usize, endpoint: usize, connection: u64, expires: u64): void {
  advance();
  const pool = poolOf(lease);
  const before = opensSeen(lease);
  const opens = load<u32>(OPEN_COUNT);
  // In its place already: most renewals of one second share a bucket.
  if (before == (opens & OPENS_MASK) && expiresAt(lease) / 1000 == expires / 1000) {
    setSeen(lease, connection, endpoint, opens);
    if (expiresAt(lease) != expires) setExpires(lease, expires);
    return;
  }
  dequeue(expiryQueue(pool, before), lease);
  setSeen(lease, connection, endpoint, opens);
  setExpires(lease, expires);
  enqueue(expiryQueue(pool, opensSeen(lease)), lease, expires);
}

/** Takes a live record out of its pool's queue and counts. */
function leaveLive(lease: usize): void {
  const pool = poolOf(lease);
  dequeue(expiryQueue(pool, opensSeen(lease)), lease);
  count(pool + LIVE_LEASES, -1);
  count(LIVE_COUNT, -1);
  countHere(lease, -1);
}

/** lease-moved: other addresses, perhaps of another pool, under the same number. */
export function leaseMoved(lease: usize, pool: usize, endpoint: usize, connection: u64, expires: u64, dHi: u64, dLo: u64, sHi: u64, sLo: u64): void {
  advance();
  const id = leaseId(lease);
  const client = clientOf(lease);
  leaveLive(lease);
  leaveAddresses(lease);
  freeAddresses(lease);
  // A new record: another family needs another size.
  const old = recordIn(client, pool);
  if (old != 0 && old != lease) forgetRecord(old);
  const single = poolMode(pool) == MODE_SINGLE;
  const family = poolFamily(pool);
  holdAddresses(pool, family, single, dHi, dLo, sHi, sLo);
  const moved = newLease(id, family, single, client, pool, endpoint, connection, load<u32>(OPEN_COUNT), 0, expires, dHi, dLo, sHi, sLo);
  dropLease(lease);
  enterLease(moved);
  enterAddresses(moved);
  enqueue(expiryQueue(pool, opensSeen(moved)), moved, expires);
  count(pool + LIVE_LEASES, 1);
  count(LIVE_COUNT, 1);
  countHere(moved, 1);
}

function end(lease: usize, flags: u32, cool: bool): void {
  leaveLive(lease);
  const pool = poolOf(lease);
  const cooldown = cooldownMs(pool);
  if (cool && cooldown != 0) {
    setStatus(lease, COOLING, flags);
    setExpires(lease, now + cooldown);
    enqueue(pool + COOLING_ROOT, lease, now + cooldown);
    count(pool + COOLING_LEASES, 1);
    count(COOLING_COUNT, 1);
    return;
  }
  freeAddresses(lease);
  setStatus(lease, ENDED, flags);
  setExpires(lease, now);
  remember(lease);
}

/** lease-released by a close or an operator; also for a record that had ended by time before. */
export function leaseReleased(lease: usize): void {
  advance();
  if (statusOf(lease) == LIVE) {
    end(lease, 0, true);
    return;
  }
  if (hasFlag(lease, STOLEN)) {
    forgetEnded(lease);
    return;
  }
  setState(lease, stateOf(lease) & ~UNCLOSED);
}

/** lease-released by a cancel: as if it had not been granted. */
export function leaseCancelled(lease: usize): void {
  advance();
  if (hasFlag(lease, OWN)) {
    end(lease, 0, false);
    return;
  }
  const client = clientOf(lease);
  leaveLive(lease);
  leaveAddresses(lease);
  freeAddresses(lease);
  dropLease(lease);
  dropClientIfIdle(client);
}

/** lease-expired. */
export function leaseExpired(lease: usize): void {
  advance();
  end(lease, UNCLOSED, true);
}

/** lease-cooled: others may have the addresses now. */
export function leaseCooled(lease: usize): void {
  advance();
  const pool = poolOf(lease);
  dequeue(pool + COOLING_ROOT, lease);
  count(pool + COOLING_LEASES, -1);
  count(COOLING_COUNT, -1);
  freeAddresses(lease);
  setStatus(lease, ENDED, stateOf(lease) & UNCLOSED);
  setExpires(lease, now);
  remember(lease);
}

/** realm-opened: leases that would have run out while the realm was down have until `graceUntil`. */
export function realmOpened(graceUntil: u64): void {
  const last = load<u64>(POSITION) == 0 ? now : load<u64>(LAST_TIME);
  // An earlier grace that was still running at the last event goes on for those it protects.
  if (!(load<u64>(GRACE_UNTIL) > last)) put64(GRACE_FROM, last);
  advance();
  put64(GRACE_UNTIL, graceUntil);
  put64(OPENED_POSITION, load<u64>(POSITION));
  put32(OPEN_COUNT, load<u32>(OPEN_COUNT) + 1);
}

/** When a live lease really runs out: its own time, or the end of the grace for those not seen since a downtime. */
export function effectiveExpiry(lease: usize): u64 {
  const own = expiresAt(lease);
  if (opensSeen(lease) == (load<u32>(OPEN_COUNT) & OPENS_MASK)) return own;
  const until = load<u64>(GRACE_UNTIL);
  return own > load<u64>(GRACE_FROM) && own < until ? until : own;
}
