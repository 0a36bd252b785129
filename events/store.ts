/**
 * The append-only log as the realm sees it. Every store passes the same contract suite (`test/store`).
 *
 * A store holds batches of binary event records, in the order of their positions, dense from 1. It does
 * not look inside a record beyond its length: what records mean is the core's business.
 */

/** One durable append: `count` events from position `first` on, as the core wrote them. */
export interface Batch {
  readonly first: number;
  readonly count: number;
  /** When the store wrote it, milliseconds since 1970; never less than the batch before. */
  readonly at: number;
  /** SHA-256 over the previous digest, the header and the body, see docs/events.md. */
  readonly digest: Uint8Array;
  readonly previous: Uint8Array;
  /** Which opening of the log wrote it: 1, 2, 3 ... */
  readonly epoch: number;
  readonly body: Uint8Array;
}

/** Position and digest of the newest batch; position 0 and 32 zero bytes for an empty log. */
export interface Head {
  readonly position: number;
  readonly digest: Uint8Array;
}

export type StoreErrorCode =
  /** Another writer was first: `actual` is the head now. Nothing was written. */
  | "conflict"
  /** The write failed and it is certain that nothing was written. */
  | "unavailable"
  /** No room left; nothing was written. */
  | "full"
  /** Nobody knows whether the write is there: the store is poisoned until reopened. */
  | "unknown"
  /** The log's bytes are not what was written; `position` names the first bad one. */
  | "corrupt"
  /** Another process has the log open for writing. */
  | "locked"
  | "closed";

export class StoreError extends Error {
  override readonly name = "StoreError";
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    readonly facts: { readonly actual?: number; readonly position?: number; readonly path?: string } = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A state image beside the log. The newest valid one shortens opening; a bad one only costs time. */
export interface SnapshotInfo {
  readonly position: number;
  /** Hex digest of the state at `position`. */
  readonly stateHash: string;
  /** Version of the core's snapshot form. */
  readonly coreVersion: number;
  readonly bytes: number;
  readonly at: number;
}

export interface Appended {
  readonly head: Head;
  /** How long the durable write took, for metrics. */
  readonly syncMs: number;
  readonly bytes: number;
}

export interface Room {
  /** `low`: stop taking on new leases. `full`: only what frees or renews may be tried. */
  readonly state: "ok" | "low" | "full";
  readonly freeBytes: number;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly batches: number;
  readonly events: number;
  readonly head: Head;
  /** First bad position and what is wrong with it. */
  readonly fault?: { readonly position: number; readonly reason: string };
  readonly snapshots: readonly { readonly position: number; readonly ok: boolean; readonly reason?: string }[];
}

export interface EventStore {
  /** `sqlite`, `memory` ... for messages and metrics. */
  readonly kind: string;
  /** Random id of this log, made when it was created. */
  readonly logId: string;
  /** Which opening this is, from 1. */
  readonly epoch: number;
  head(): Head;
  room(): Room;
  /**
   * Writes one batch behind `expected`, the position of the last event the caller knows, and resolves
   * once it is durable. Appends resolve in the order they were called. Rejects with `StoreError`; after
   * `unknown` every later call rejects too.
   */
  append(expected: number, body: Uint8Array, count: number, at: number): Promise<Appended>;
  /** Batches from the one that holds `from` on, up to the head at the time of the call; checked as they are read. */
  read(from: number): AsyncIterable<Batch>;
  /** As `read`, then waits for new batches until `signal` aborts. */
  follow(from: number, signal: AbortSignal): AsyncIterable<Batch>;
  /** Position of the last event written at or before `at` (ms); 0 if none. */
  positionAt(at: number): Promise<number>;
  snapshots(): Promise<readonly SnapshotInfo[]>;
  /** Chunks of a snapshot's bytes, checked against its own digest before the first chunk is given out. */
  readSnapshot(position: number): AsyncIterable<Uint8Array>;
  /** Writes, syncs, renames; forgets those no longer needed, see snapshot-keep.ts. */
  writeSnapshot(info: Omit<SnapshotInfo, "bytes" | "at">, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<SnapshotInfo>;
  /** Recomputes everything; `progress` hears the position reached, about ten times a second. */
  verify(progress?: (position: number) => void): Promise<VerifyReport>;
  close(): Promise<void>;
}
