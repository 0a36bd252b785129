/**
 * What the model knows, as plain Maps and lists. Only `fold.ts` changes it. Nothing is indexed and nothing
 * that can be computed is kept: what is free, who is expired, whose addresses are whose is looked up by
 * walking the lists.
 */
import type { ClientIdentity, ContextPolicy } from "#events/command.js";
import { type Point, type Range, contains } from "./address.js";

export interface Pool {
  readonly name: string;
  /** Position of the last change. */
  readonly revision: number;
  readonly mode: "pair" | "single";
  readonly prefixes: readonly Range[];
  readonly reserved: readonly Range[];
  readonly leaseSeconds: number;
  readonly graceSeconds: number;
  readonly cooldownSeconds: number;
  readonly draining: boolean;
}

export interface Endpoint {
  readonly name: string;
  readonly revision: number;
  readonly chain: readonly (readonly string[])[];
  readonly contextPolicy: ContextPolicy;
}

/** One client's lease of one pool: live, or what is remembered of it. */
export interface LeaseRecord {
  readonly lease: number;
  readonly client: ClientIdentity;
  readonly pool: string;
  readonly endpoint: string;
  readonly connection: string;
  readonly dst: Point;
  readonly src: Point;
  readonly expiresAt: number;
  readonly status: "live" | "cooling" | "ended";
  /** Why it was granted, while nothing else has happened to it since: what a cancel needs to know. */
  readonly fresh: false | "new" | "own" | "claimed";
  /** Position of the last grant, renewal, restore or move. */
  readonly seen: number;
  /** Ended by time, and its connection was not closed since. */
  readonly unclosed: boolean;
  /** Ended, and an address of it went to someone else. */
  readonly stolen: boolean;
  /** When the cool-down ends, ms since 1970; 0 unless cooling. */
  readonly coolUntil: number;
  /** Position of the event that made it `ended`: who is forgotten first. 0 before. */
  readonly endedPosition: number;
}

/** An endpoint address of a `single` pool, in use by at least one live or cooling record. */
export interface EndpointAddress {
  readonly pool: string;
  readonly address: Point;
}

export interface State {
  position: number;
  /** Time of the last event, ms since 1970; 0 in an empty log. */
  lastTime: number;
  openedPosition: number;
  graceFrom: number;
  graceUntil: number;
  pools: Map<string, Pool>;
  endpoints: Map<string, Endpoint>;
  records: LeaseRecord[];
  /** In the order they were taken. */
  endpointAddresses: EndpointAddress[];
  /** Every address any lease ever had. */
  everIssued: Set<Point>;
}

export function emptyState(): State {
  return {
    position: 0,
    lastTime: 0,
    openedPosition: 0,
    graceFrom: 0,
    graceUntil: 0,
    pools: new Map(),
    endpoints: new Map(),
    records: [],
    endpointAddresses: [],
    everIssued: new Set(),
  };
}

/** A copy that can be folded on without touching the original; what it points to is never changed in place. */
export function copyOf(state: State): State {
  return {
    ...state,
    pools: new Map(state.pools),
    endpoints: new Map(state.endpoints),
    records: [...state.records],
    endpointAddresses: [...state.endpointAddresses],
    everIssued: new Set(state.everIssued),
  };
}

export function poolNamed(state: State, name: string): Pool {
  const pool = state.pools.get(name);
  if (pool === undefined) throw new Error(`model: no pool ${name}`);
  return pool;
}

export function isClient(a: ClientIdentity, b: ClientIdentity): boolean {
  return a.name === b.name && a.id === b.id;
}

/** The client's records of one pool, at most one; `found` narrows by status. */
export function recordOf(state: State, client: ClientIdentity, pool: string, found: (record: LeaseRecord) => boolean): LeaseRecord | undefined {
  return state.records.find((record) => record.pool === pool && isClient(record.client, client) && found(record));
}

export function isLive(record: LeaseRecord): boolean {
  return record.status === "live";
}

/** Live and cooling records keep their addresses from everybody. */
export function holds(record: LeaseRecord): boolean {
  return record.status !== "ended";
}

/** The prefix of the pool that the address lies in, if any. */
export function prefixAt(pool: Pool, point: Point): Range | undefined {
  return pool.prefixes.find((prefix) => contains(prefix, point));
}

/** What of a record belongs to its client alone: in `single` mode the endpoint address is shared. */
export function ownAddresses(state: State, record: LeaseRecord): readonly Point[] {
  return poolNamed(state, record.pool).mode === "pair" ? [record.dst, record.src] : [record.src];
}
