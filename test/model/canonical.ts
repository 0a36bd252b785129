/** The state as a reader shows it: everything in a fixed order, so that two ways to the same state print the same. */
import type { EndpointView, LeaseView, PoolView } from "#events/realm-api.js";
import { effectiveExpiry, isExpired } from "./expiry.js";
import { countFree } from "./free.js";
import { countOutside } from "./pool.js";
import { settingsOf, timeText } from "./spelling.js";
import { textOf } from "./address.js";
import { type LeaseRecord, type Pool, type State, isLive } from "./state.js";

export interface CanonicalState {
  readonly position: number;
  /** By name. */
  readonly pools: readonly PoolView[];
  /** By name. */
  readonly endpoints: readonly EndpointView[];
  /** By lease number. */
  readonly leases: readonly LeaseView[];
}

export function canonicalState(state: State): CanonicalState {
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
  return {
    position: state.position,
    pools: [...state.pools.values()].sort(byName).map((pool) => poolView(state, pool)),
    endpoints: [...state.endpoints.values()].sort(byName).map(({ name, chain, contextPolicy, revision }) => ({ endpoint: name, chain, contextPolicy, revision })),
    leases: [...state.records].sort((a, b) => a.lease - b.lease).map((record) => leaseView(state, record)),
  };
}

function poolView(state: State, pool: Pool): PoolView {
  const live = state.records.filter((record) => record.pool === pool.name && isLive(record));
  return {
    pool: pool.name,
    revision: pool.revision,
    ...settingsOf(pool),
    usage: {
      size: String(pool.prefixes.reduce((sum, { first, last }) => sum + last - first + 1n, 0n)),
      leases: live.length,
      addressesLeased: live.length * (pool.mode === "pair" ? 2 : 1),
      leasesOutside: countOutside(state, pool),
      cooling: state.records.filter((record) => record.pool === pool.name && record.status === "cooling").length,
      free: String(countFree(state, pool)),
    },
  };
}

function leaseView(state: State, record: LeaseRecord): LeaseView {
  const { lease, client, endpoint, pool, dst, src, expiresAt } = record;
  const isOver = isLive(record) && isExpired(state, record, state.lastTime);
  return {
    lease,
    client,
    endpoint,
    pool,
    dst: textOf(dst),
    src: textOf(src),
    state: isOver ? "expired" : record.status,
    expiresAt: timeText(isLive(record) ? effectiveExpiry(state, record) : expiresAt),
  };
}
