/**
 * When a lease is over. The runtime's own downtime never ends one: a lease that was running when the realm
 * was last seen alive lasts at least to the end of the grace its reopening gave.
 */
import { type LeaseRecord, type State, poolNamed } from "./state.js";

/**
 * The moment the lease ends, ms since 1970: its expiry, or, if its client has not been heard since the realm was
 * opened, the end of the reopening grace it falls into.
 */
export function effectiveExpiry(state: State, record: LeaseRecord): number {
  const isExtended = record.seen < state.openedPosition && state.graceFrom < record.expiresAt && record.expiresAt < state.graceUntil;
  return isExtended ? state.graceUntil : record.expiresAt;
}

export function isExpired(state: State, record: LeaseRecord, now: number): boolean {
  return now >= effectiveExpiry(state, record);
}

/** When the timer is to end a live lease or a cool-down; `undefined` for what has already ended. */
export function dueTime(state: State, record: LeaseRecord): number | undefined {
  if (record.status === "live") return effectiveExpiry(state, record) + poolNamed(state, record.pool).graceSeconds * 1000;
  if (record.status === "cooling") return record.coolUntil;
  return undefined;
}
