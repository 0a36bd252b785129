/**
 * A log as tools see it: everything that reads, nothing that writes. Takes no writer lock, so it works beside the
 * process that serves the log, and on a copy of one.
 *
 * Only the SQLite log has a view of its own; other stores are read through the store.
 */
import { setTimeout as pause } from "node:timers/promises";
import { SnapshotFolder } from "./snapshot-folder.js";
import { StoreError, type Batch, type EventStore, type Head, type SnapshotInfo, type VerifyReport } from "./store.js";
import { findSegment, folderPaths } from "./sqlite/layout.js";
import { pagedRead } from "./sqlite/paged-read.js";
import { ReaderThread } from "./sqlite/reader-thread.js";
import type { Segment } from "./sqlite/schema.js";
import { verifyThrough } from "./sqlite/verify.js";

/** How long a follower of another process's log waits between looks. */
const LOOK_MS = 100;

export interface LogView
  extends Pick<EventStore, "kind" | "logId" | "epoch" | "head" | "read" | "follow" | "positionAt" | "snapshots" | "readSnapshot" | "verify" | "close"> {
  /** Looks where the log ends by now; `head()` gives that until the next look. `read`, `follow` and `verify` look by themselves. */
  refresh(): Promise<Head>;
}

/**
 * Opens the log in `folder` (`<dataDir>/<realm>`) for reading. Refuses with StoreError: `unavailable` if there is no
 * log, or the folder cannot be written to (SQLite needs a little shared memory beside the file); `corrupt` if
 * its tables or its newest row cannot be read.
 */
export async function openReadOnly(folder: string): Promise<LogView> {
  const { path, reader } = readerOf(folder);
  try {
    const segment = await reader.ask({ ask: "segment" });
    const head = await reader.ask({ ask: "head" });
    return new SqliteView(folder, path, reader, segment, head);
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/**
 * Recomputes the log in `folder` and its snapshots without taking the writer lock; `progress` hears the position
 * reached, about ten times a second. Damage is a report, not an error; errors are for what keeps it from looking.
 */
export async function verifyLog(folder: string, progress?: (position: number) => void): Promise<VerifyReport> {
  const { path, reader } = readerOf(folder);
  try {
    const segment = await reader.ask({ ask: "segment" });
    return await new SqliteView(folder, path, reader, segment, emptyHead(segment)).verify(progress);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "corrupt")) throw error;
    const fault = { position: error.facts.position ?? 1, reason: error.message };
    return { ok: false, batches: 0, events: 0, head: { position: 0, digest: new Uint8Array(32) }, fault, snapshots: [] };
  } finally {
    await reader.close();
  }
}

class SqliteView implements LogView {
  readonly kind = "sqlite";
  readonly #snapshots: SnapshotFolder;
  #head: Head;

  constructor(
    folder: string,
    private readonly path: string,
    private readonly reader: ReaderThread,
    private readonly segment: Segment,
    head: Head,
  ) {
    this.#head = head;
    this.#snapshots = new SnapshotFolder(folderPaths(folder).snapshots, {
      logId: segment.log,
      head: () => this.#head,
      digestAt: (position) => this.reader.ask({ ask: "digest", position }),
    });
  }

  get logId(): string {
    return this.segment.log;
  }

  get epoch(): number {
    return this.segment.epoch;
  }

  head(): Head {
    return this.#head;
  }

  async refresh(): Promise<Head> {
    this.#head = await this.reader.ask({ ask: "head" });
    return this.#head;
  }

  async *read(from: number): AsyncGenerator<Batch> {
    const head = await this.refresh();
    yield* pagedRead(this.reader, this.path, { from: Math.max(1, from), head, check: "digest" });
  }

  async *follow(from: number, signal: AbortSignal): AsyncGenerator<Batch> {
    let next = Math.max(1, from);
    while (!signal.aborted) {
      for await (const batch of this.read(next)) {
        if (signal.aborted) return;
        yield batch;
        next = batch.first + batch.count;
      }
      // Another process writes: nobody tells this one. An abort only ends the wait early.
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  positionAt(at: number): Promise<number> {
    return this.reader.ask({ ask: "position", at });
  }

  async snapshots(): Promise<readonly SnapshotInfo[]> {
    await this.refresh();
    return this.#snapshots.list();
  }

  readSnapshot(position: number): AsyncIterable<Uint8Array> {
    return this.#snapshots.read(position);
  }

  async verify(progress?: (position: number) => void): Promise<VerifyReport> {
    let unreadable: StoreError | undefined;
    try {
      await this.refresh();
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "corrupt")) throw error;
      unreadable = error;
    }
    if (unreadable === undefined) return verifyThrough(this.reader, this.#snapshots, this.#head, progress);
    // Where the log ends cannot be read: read on until something is wrong, which names the first bad position.
    this.#head = { position: Number.MAX_SAFE_INTEGER, digest: new Uint8Array(32) };
    const report = await verifyThrough(this.reader, this.#snapshots, this.#head, progress);
    this.#head = report.head;
    return { ...report, ok: false, fault: report.fault ?? { position: report.head.position + 1, reason: unreadable.message } };
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}

function readerOf(folder: string): { path: string; reader: ReaderThread } {
  let path: string | undefined;
  try {
    path = findSegment(folder);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError("unavailable", `cannot read ${folder}: ${(error as Error).message}; name the folder of a realm`, { path: folder }, { cause: error });
  }
  if (path === undefined) throw new StoreError("unavailable", `${folder} holds no log; name the folder of a realm, <data dir>/<realm>`, { path: folder });
  return { path, reader: new ReaderThread(path) };
}

function emptyHead(segment: Segment): Head {
  return { position: segment.first - 1, digest: segment.previous };
}
