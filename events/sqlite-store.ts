/**
 * The embedded store: one SQLite file per log, one row per durable append, written by a thread of its own.
 *
 *   event loop            writer thread                       checkpointer thread      reader thread
 *   append ── message ──> BEGIN, row, row, COMMIT (one fsync) ── wakes ──> WAL -> db
 *   read   ───────────────────────────────────────────────────────────────────────────> page, checked
 *
 * Nothing here opens the log's files with `fs`: closing any descriptor of a file drops all POSIX locks the process
 * has on it, SQLite's own included.
 */
import { statSync } from "node:fs";
import { checkAppend } from "./chain.js";
import { SnapshotFolder } from "./snapshot-folder.js";
import { StoreError, type Appended, type Batch, type EventStore, type Head, type Room, type SnapshotInfo, type VerifyReport } from "./store.js";
import type { CheckpointerData, CheckpointerMessage } from "./sqlite/checkpointer.js";
import { fromFailure, toFailure } from "./sqlite/failure.js";
import { logPaths } from "./sqlite/layout.js";
import { pagedRead } from "./sqlite/paged-read.js";
import type { ReadCheck } from "./sqlite/page.js";
import { ReaderThread } from "./sqlite/reader-thread.js";
import type { Segment } from "./sqlite/schema.js";
import { COMMITS, STOP, newSharedState } from "./sqlite/shared-state.js";
import { Space } from "./sqlite/space.js";
import { Thread } from "./sqlite/thread.js";
import { verifyThrough } from "./sqlite/verify.js";
import type { WriterData, WriterReply, WriterRequest } from "./sqlite/writer.js";

export interface SqliteStoreOptions {
  readonly dataDir: string;
  readonly realm: string;
  /**
   * Bytes the WAL may reach before the writer itself moves it into the database file. Smaller means shorter
   * stalls under a load the checkpointer cannot keep up with; larger means fewer of them.
   */
  readonly walLimitBytes?: number;
  /** Room kept for a full disk; at least `walLimitBytes`, or 0 for none. */
  readonly ballastBytes?: number;
  /** Free bytes below which `room()` says `low`, and `full`. */
  readonly lowBytes?: number;
  readonly fullBytes?: number;
  /** How often the file system is asked for its free bytes, milliseconds. */
  readonly spaceEveryMs?: number;
  /** Pause between checkpoints while there is writing, milliseconds. */
  readonly checkpointEveryMs?: number;
  /** What `read` checks beyond CRC, framing and links; `verify` always recomputes digests. */
  readonly readCheck?: ReadCheck;
}

const MIB = 1024 * 1024;

interface WaitingAppend {
  readonly bytes: number;
  resolve(appended: Appended): void;
  reject(error: StoreError): void;
}

type Writer = Thread<WriterRequest, WriterReply>;
type Checkpointer = Thread<never, CheckpointerMessage>;

/**
 * Opens a realm's log for writing, or makes it. Refuses with StoreError `locked` while another process writes
 * to it, `corrupt` if its newest batch or its tables are damaged, `unavailable` for what the system refuses.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<EventStore> {
  const paths = logPaths(options.dataDir, options.realm);
  const walLimitBytes = atLeast("walLimitBytes", options.walLimitBytes ?? 64 * MIB, MIB);
  const ballastBytes = options.ballastBytes ?? walLimitBytes;
  if (ballastBytes !== 0) atLeast("ballastBytes", ballastBytes, walLimitBytes);
  const state = newSharedState();
  const store = await SqliteStore.start({ paths, state, now: Date.now(), walLimitBytes }, options);
  try {
    await store.prepare({
      folder: paths.folder,
      ballast: paths.ballast,
      ballastBytes,
      lowBytes: options.lowBytes ?? 4 * walLimitBytes,
      fullBytes: options.fullBytes ?? walLimitBytes,
      everyMs: options.spaceEveryMs ?? 1_000,
    });
    return store;
  } catch (error) {
    await store.close();
    throw fromFailure(toFailure(error, "unavailable", `cannot prepare ${paths.folder}`, paths.folder));
  }
}

function atLeast(field: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`${field} must be at least ${least} bytes, not ${value}; raise it`);
}

class SqliteStore implements EventStore {
  readonly kind = "sqlite";
  readonly #writer: Writer;
  readonly #checkpointer: Checkpointer;
  readonly #reader: ReaderThread;
  readonly #snapshots: SnapshotFolder;
  readonly #waiting = new Map<number, WaitingAppend>();
  readonly #followers = new Set<() => void>();
  #space: Space | undefined;
  #head: Head;
  #asked = 0;
  /** Why every call is refused from now on. */
  #ended: StoreError | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    writer: Writer,
    private readonly data: WriterData,
    private readonly path: string,
    private readonly segment: Segment,
    head: Head,
    private readonly options: SqliteStoreOptions,
  ) {
    this.#writer = writer;
    this.#head = head;
    this.#reader = new ReaderThread(path);
    this.#snapshots = new SnapshotFolder(data.paths.snapshots, {
      logId: segment.log,
      head: () => this.#head,
      digestAt: (position) => this.#reader.ask({ ask: "digest", position }),
    });
    const checkpointer: CheckpointerData = {
      path,
      walLimitBytes: data.walLimitBytes,
      state: data.state,
      everyMs: options.checkpointEveryMs ?? 20,
    };
    this.#checkpointer = new Thread("checkpointer", checkpointer, {
      reply: (message) => this.#writer.post(message.kind === "full" ? { kind: "make-room" } : { kind: "poison", reason: message.reason }),
      died: (reason) => this.#writer.post({ kind: "poison", reason }),
    });
  }

  static start(data: WriterData, options: SqliteStoreOptions): Promise<SqliteStore> {
    return new Promise((resolve, reject) => {
      let store: SqliteStore | undefined;
      const writer: Writer = new Thread<WriterRequest, WriterReply>("writer", data, {
        reply: (reply) => {
          if (reply.kind === "opened") {
            writer.letGo();
            store = new SqliteStore(writer, data, reply.path, reply.segment, reply.head, options);
            resolve(store);
          } else if (reply.kind === "refused") {
            writer.expectEnd();
            reject(fromFailure(reply.failure));
          } else store?.hear(reply);
        },
        died: (reason) => {
          const path = data.paths.folder;
          if (store === undefined) reject(new StoreError("unavailable", `the writer of ${path} ended before it had opened it: ${reason}`, { path }));
          else store.end(new StoreError("unknown", `the writer of ${path} ended: ${reason}; reopen the log to see what is there`, { path }));
        },
      });
      writer.hold();
    });
  }

  async prepare(space: Parameters<typeof Space.watch>[0]): Promise<void> {
    await this.#snapshots.prepare();
    this.#space = await Space.watch(space);
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

  room(): Room {
    return this.#space?.room() ?? { state: "ok", freeBytes: 0 };
  }

  append(expected: number, body: Uint8Array, count: number, at: number): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) throw this.#ended;
      checkAppend(expected, body, count, at);
      // A copy, because the core goes on writing where this body lies in its memory.
      const copy = Uint8Array.from(body);
      const id = ++this.#asked;
      this.#waiting.set(id, { bytes: copy.byteLength, resolve, reject });
      this.#writer.hold();
      this.#writer.post({ kind: "append", id, expected, count, at, body: copy }, [copy.buffer]);
    });
  }

  read(from: number): AsyncGenerator<Batch> {
    this.#refuseIfEnded();
    return pagedRead(this.#reader, this.path, { from: Math.max(1, from), head: this.#head, check: this.options.readCheck ?? "linked" });
  }

  async *follow(from: number, signal: AbortSignal): AsyncGenerator<Batch> {
    let next = Math.max(1, from);
    while (!signal.aborted) {
      if (next <= this.#head.position) {
        for await (const batch of this.read(next)) {
          if (signal.aborted) return;
          yield batch;
          next = batch.first + batch.count;
        }
      } else {
        this.#refuseIfEnded();
        await this.#newBatch(signal);
      }
    }
  }

  async positionAt(at: number): Promise<number> {
    this.#refuseIfEnded();
    return this.#reader.ask({ ask: "position", at });
  }

  async snapshots(): Promise<readonly SnapshotInfo[]> {
    this.#refuseIfEnded();
    return this.#snapshots.list();
  }

  async *readSnapshot(position: number): AsyncGenerator<Uint8Array> {
    this.#refuseIfEnded();
    yield* this.#snapshots.read(position);
  }

  async writeSnapshot(
    info: Omit<SnapshotInfo, "bytes" | "at">,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<SnapshotInfo> {
    this.#refuseIfEnded();
    // At once, not awaited: a close in the same turn must find the snapshot under way.
    return this.#snapshots.write(info, Date.now(), statSync(this.path).size, chunks);
  }

  async verify(progress?: (position: number) => void): Promise<VerifyReport> {
    this.#refuseIfEnded();
    return verifyThrough(this.#reader, this.#snapshots, this.#head, progress);
  }

  /** Waits for appends and snapshots that are under way, then ends the threads; what still reads is refused with `closed`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Refuses what waits and whatever comes, with `error`. */
  end(error: StoreError): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) {
      this.#writer.letGo();
      reject(error);
    }
    this.#waiting.clear();
    this.#wakeFollowers();
  }

  hear(reply: WriterReply): void {
    switch (reply.kind) {
      case "appended":
        this.#settle(reply);
        break;
      case "ballast-released":
        this.#space?.spent();
        break;
      case "poisoned":
        this.#stopCheckpointer();
        this.end(new StoreError("unknown", `${reply.reason}; reopen the log to see what is there`, { path: this.path }));
        break;
      case "closed":
      case "opened":
      case "refused":
        break;
    }
  }

  #settle({ ids, results, syncMs }: Extract<WriterReply, { kind: "appended" }>): void {
    // The head first: whoever is woken by an append below sees it, and all before it, in the log.
    const newest = results.findLast((result) => result.ok);
    if (newest?.ok === true) this.#head = newest.head;
    ids.forEach((id, index) => {
      const waiting = this.#waiting.get(id);
      const result = results[index];
      if (waiting === undefined || result === undefined) return;
      this.#waiting.delete(id);
      this.#writer.letGo();
      if (result.ok) {
        waiting.resolve({ head: result.head, syncMs, bytes: waiting.bytes });
      } else {
        if (result.code === "full") this.#space?.spent();
        waiting.reject(new StoreError(result.code, result.message, result.facts));
      }
    });
    if (newest !== undefined) this.#wakeFollowers();
    // Not when the thread says so in its next message: by then a caller may have read, or begun a snapshot.
    const unknown = results.find((result) => !result.ok && result.code === "unknown");
    if (unknown?.ok === false) this.end(new StoreError("unknown", unknown.message, unknown.facts));
  }

  /** Resolves at the next append, at the end of the store, or when `signal` aborts. */
  #newBatch(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#followers.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#followers.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  #wakeFollowers(): void {
    for (const wake of [...this.#followers]) wake();
  }

  #stopCheckpointer(): void {
    this.#checkpointer.expectEnd();
    Atomics.store(this.data.state, STOP, 1);
    // It sleeps on the one while nothing is written, on the other between checkpoints.
    Atomics.add(this.data.state, COMMITS, 1);
    Atomics.notify(this.data.state, COMMITS);
    Atomics.notify(this.data.state, STOP);
  }

  #refuseIfEnded(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  async #close(): Promise<void> {
    // At once: what is called after close must not slip in while a snapshot is being finished.
    const poisoned = this.#ended !== undefined;
    this.#ended ??= new StoreError("closed", `the log ${this.path} is closed`, { path: this.path });
    await this.#snapshots.idle();
    this.#wakeFollowers();
    await this.#space?.close();
    await this.#reader.close();
    // Before the writer: of a poisoned log the writer's guard must be the last connection, see writer-log.ts.
    this.#stopCheckpointer();
    await this.#checkpointer.end();
    // Behind every append that was posted, so those are still written and answered.
    this.#writer.post({ kind: "close" });
    await this.#writer.end();
    if (!poisoned) this.end(this.#ended);
  }
}
