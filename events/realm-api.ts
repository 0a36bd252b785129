/**
 * The realm as hosts see it: commands in, durable answers out, reads of now and of any earlier moment.
 */
import type { Command, Envelope, Outcome } from "./command.js";
import type { Event, EventType, PoolSettings } from "./event.js";
import type { Head, Room, SnapshotInfo, VerifyReport } from "./store.js";
import type { ClientIdentity, ContextPolicy } from "./command.js";

export type LeaseState =
  | "live"
  /** Ran out, not yet taken away: its grace runs. */
  | "expired"
  /** Over; the addresses are remembered for its client. */
  | "ended"
  /** Over, and nobody gets the addresses before the pool's cool-down ends. */
  | "cooling";

export interface LeaseView {
  readonly lease: number;
  readonly client: ClientIdentity;
  readonly endpoint: string;
  readonly pool: string;
  readonly dst: string;
  readonly src: string;
  readonly state: LeaseState;
  readonly expiresAt: string;
}

export interface PoolView extends PoolSettings {
  readonly pool: string;
  /** Position of the last change; the ETag. */
  readonly revision: number;
  readonly usage: {
    /** Addresses in the prefixes, as a decimal string: a /64 does not fit a number. */
    readonly size: string;
    readonly leases: number;
    readonly addressesLeased: number;
    /** Live leases outside the present prefixes, moved at their client's next request. */
    readonly leasesOutside: number;
    readonly cooling: number;
    /** Addresses free to lease now: not leased, not cooling, not reserved. */
    readonly free: string;
  };
}

export interface EndpointView {
  readonly endpoint: string;
  readonly chain: readonly (readonly string[])[];
  readonly contextPolicy: ContextPolicy;
  readonly revision: number;
}

export interface LeaseFilter {
  readonly pool?: string;
  readonly clientName?: string;
  readonly clientId?: string;
  readonly address?: string;
  readonly state?: LeaseState;
}

/** A page in ascending lease number or name; `next` goes back in as `after`. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/** State at one moment, live or past. Reads never change it. */
export interface RealmReader {
  /** Position the answers are true at. */
  readonly position: number;
  pool(name: string): PoolView | undefined;
  pools(after: string | undefined, limit: number): Page<PoolView>;
  endpoint(name: string): EndpointView | undefined;
  endpoints(after: string | undefined, limit: number): Page<EndpointView>;
  lease(id: number): LeaseView | undefined;
  leases(filter: LeaseFilter, after: string | undefined, limit: number): Page<LeaseView>;
  /** Hex digest of the state. */
  hash(): string;
}

export type Moment = { readonly position: number } | { readonly time: number };

export interface RealmMetrics {
  /** One group commit: how many commands and events, how long the durable write took. */
  onCommit?(batch: { commands: number; events: number; bytes: number; syncMs: number }): void;
}

export interface RealmApi {
  readonly name: string;
  readonly state: "recovering" | "ready" | "failed" | "closed";
  /** Decides and resolves once the outcome is durable. Rejects only when the log cannot be written. */
  submit<C extends Command>(command: C, envelope: Envelope): Promise<Outcome<C>>;
  /**
   * Looks at the live state, at a moment when every change in it is durable: a reader never sees what may yet be
   * undone. `look` runs at once or after the append under way; the reader is valid only while it runs.
   */
  read<T>(look: (reader: RealmReader) => T): Promise<T>;
  /** State at an earlier moment, in a core instance of its own; release it after use. */
  at(moment: Moment): Promise<{ reader: RealmReader; release(): void }>;
  events(options: { after: number; limit: number; types?: readonly EventType[]; subject?: string }): Promise<{ events: readonly Event[]; head: number; scanned: number }>;
  /** Every event from `after` on, then the new ones as they become durable, until `signal` aborts. */
  watch(after: number, signal: AbortSignal): AsyncIterable<readonly Event[]>;
  head(): Head;
  room(): Room;
  log(): Promise<{ realm: string; logId: string; store: string; head: { position: number; digest: string }; epoch: number; oldest: number; snapshots: readonly SnapshotInfo[] }>;
  verify(progress?: (position: number) => void): Promise<VerifyReport>;
  /** Writes a snapshot beside the log, without stopping. */
  snapshot(): Promise<SnapshotInfo>;
  close(): Promise<void>;
}
