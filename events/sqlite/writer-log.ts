/**
 * The writing end of a log segment: what one opening of it knows, and how batches become durable.
 * Runs inside the writer thread; everything here blocks.
 *
 * When a write fails:
 *
 * - SQLITE_BUSY at BEGIN: nothing was tried. `unavailable`, and the log goes on.
 * - SQLITE_FULL: rolled back for certain. SQLite reports it for a `write` that came up short, and a transaction
 *   counts only once its last frame, which carries the commit mark, is whole: that frame is written last, so
 *   whichever write came up short, the mark is not in the file. `full`, and the log goes on. (An `fsync` that
 *   reports ENOSPC is SQLITE_IOERR_FSYNC, and falls under the next rule.)
 * - Anything else: nobody knows. After a failed fsync the kernel drops the pages that it could not write and
 *   calls them clean, so asking again would be answered with a lie; and the failed commit may show up after all
 *   when the log is next opened. The log is poisoned and its connections are left in a way that keeps
 *   SQLite from checkpointing what it cannot trust.
 */
import type { Head } from "../store.js";
import { StoreError } from "../store.js";
import { crcOf, digestOf, encodeHeader, framingFault, noDigest, sameDigest } from "../chain.js";
import { errorText, errorCode, isBusy, isDamage, isFull } from "./failure.js";
import type { Connection } from "./connection.js";
import { BODY_FORMAT, connect, connectReadOnly, damaged, raiseEpoch, type Segment } from "./schema.js";

/** One append as it reaches the writer. */
export interface AppendRequest {
  readonly expected: number;
  readonly count: number;
  readonly at: number;
  readonly body: Uint8Array;
}

export type AppendResult =
  | { readonly ok: true; readonly head: Head; readonly at: number }
  | { readonly ok: false; readonly code: StoreError["code"]; readonly message: string; readonly facts: StoreError["facts"] };

interface HeadRow {
  first: number;
  count: number;
  at: number;
  epoch: number;
  format: number;
  crc: number;
  previous: Buffer;
  digest: Buffer;
  body: Buffer;
}

export class WriterLog {
  #position: number;
  #digest: Uint8Array;
  #at: number;
  #poison: string | undefined;
  readonly #insert;
  readonly #epochNow;
  readonly #walFrames;
  readonly #move;
  readonly #newest;
  readonly #begin;
  readonly #end;
  readonly #pageBytes: number;

  private constructor(
    private readonly db: Connection,
    /** Closed after every writing connection of a poisoned log, see `close`. */
    private readonly guard: Connection,
    private readonly path: string,
    readonly segment: Segment,
    head: { position: number; digest: Uint8Array; at: number },
  ) {
    this.#position = head.position;
    this.#digest = head.digest;
    this.#at = head.at;
    this.#insert = db.prepare(
      "INSERT INTO batch(first, count, at, epoch, format, crc, previous, digest, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.#epochNow = db.prepare("SELECT epoch FROM segment WHERE only = 1").pluck();
    this.#walFrames = db.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#move = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    this.#newest = db.prepare("SELECT first + count - 1 FROM batch ORDER BY first DESC LIMIT 1").pluck();
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#end = db.prepare("COMMIT");
    this.#pageBytes = db.pragma("page_size", { simple: true }) as number;
  }

  /**
   * Opens the segment at `path`. The caller holds the writer lock.
   *
   * Everything that can be read afterwards is durable: what an earlier process left in the WAL may include a
   * commit whose fsync failed, present in the page cache and absent on the disk. Moving the whole WAL into the
   * database file writes those pages anew and syncs them, before anything is built on them.
   */
  static open(path: string, walLimitBytes: number): WriterLog {
    let db: Connection | undefined;
    let guard: Connection | undefined;
    try {
      db = connect(path, walLimitBytes);
      settle(db, path);
      const segment = raiseEpoch(db, path);
      const head = readHead(db, path, segment);
      guard = connectReadOnly(path);
      return new WriterLog(db, guard, path, segment, head);
    } catch (error) {
      db?.close();
      guard?.close();
      throw isDamage(error) ? damaged(path, `SQLite cannot open it (${errorText(error)})`, error) : error;
    }
  }

  get head(): Head {
    return { position: this.#position, digest: this.#digest };
  }

  /** When the newest batch was written; the next is never earlier. */
  get at(): number {
    return this.#at;
  }

  get poison(): string | undefined {
    return this.#poison;
  }

  /**
   * Writes what can be written of `requests` in one transaction with one fsync, a row each, and answers each.
   * All that were written succeed or fail together.
   */
  commit(requests: readonly AppendRequest[]): AppendResult[] {
    if (this.#poison !== undefined) return requests.map(() => this.#refusal());
    const results: AppendResult[] = [];
    let position = this.#position;
    let digest = this.#digest;
    let at = this.#at;
    let stage: "begin" | "write" | "commit" = "begin";
    try {
      this.#begin.run();
      stage = "write";
      this.#expectOwnEpoch();
      for (const request of requests) {
        if (request.expected !== position) {
          results.push(conflict(request.expected, position));
          continue;
        }
        if (request.count > 0) {
          const header = { epoch: this.segment.epoch, first: position + 1, count: request.count, at: Math.max(at, request.at) };
          const bytes = encodeHeader(header, request.body.byteLength);
          const next = digestOf(digest, bytes, request.body);
          this.#insert.run(
            header.first, header.count, header.at, header.epoch, BODY_FORMAT, crcOf(bytes, request.body), digest, next, request.body,
          );
          position += request.count;
          digest = next;
          at = header.at;
        }
        results.push({ ok: true, head: { position, digest }, at });
      }
      stage = "commit";
      this.#end.run();
    } catch (error) {
      return this.#failed(error, stage, requests);
    }
    this.#position = position;
    this.#digest = digest;
    this.#at = at;
    return results;
  }

  /** Bytes of the WAL that are in use. */
  walBytes(): number {
    const { log } = this.#walFrames.get() as { log: number };
    return Math.max(0, log) * this.#pageBytes;
  }

  /**
   * Moves the WAL into the database file while nothing is being written, so that all of it goes, and the next
   * commit starts the WAL over. False if the checkpointer is at it, or a reader pins part of the WAL.
   * Poisons the log when the device fails: pages that an earlier partial checkpoint wrote may be gone.
   */
  checkpoint(): boolean {
    try {
      const { busy, log, checkpointed } = this.#move.get() as CheckpointRow;
      return busy === 0 && log === checkpointed;
    } catch (error) {
      if (isBusy(error) || isFull(error)) return false;
      this.#poisonWith(`moving the WAL into ${this.path} failed: ${errorText(error)} (${errorCode(error)})`);
      return false;
    }
  }

  /** Marks the log as not to be written any more, for a failure seen elsewhere (the checkpointer's). */
  poisonWith(reason: string): void {
    if (this.#poison === undefined) this.#poisonWith(reason);
  }

  /**
   * Closes; the checkpointer's connection is closed already. In good order SQLite now moves the WAL into the
   * database file and removes it. Poisoned, the WAL stays as it is: the guard goes last and cannot write.
   */
  close(): void {
    if (this.#poison === undefined) {
      this.guard.close();
      this.db.close();
    } else {
      this.db.close();
      this.guard.close();
    }
  }

  #failed(error: unknown, stage: "begin" | "write" | "commit", requests: readonly AppendRequest[]): AppendResult[] {
    if (stage === "begin" && isBusy(error)) {
      const message = `another connection keeps ${this.path} locked; nothing was written, try again`;
      return requests.map(() => ({ ok: false, code: "unavailable", message, facts: { path: this.path } }));
    }
    if (isFull(error) && this.#rolledBack()) {
      const message = `no room to write to ${this.path}; nothing was written, free some and try again`;
      return requests.map(() => ({ ok: false, code: "full", message, facts: { path: this.path } }));
    }
    const code = errorCode(error);
    this.#poisonWith(`the ${stage} of an append to ${this.path} failed: ${errorText(error)}${code === "" ? "" : ` (${code})`}`);
    return requests.map(() => this.#refusal());
  }

  /** Ends the transaction and sees for itself that the head is where it was. */
  #rolledBack(): boolean {
    try {
      if (this.db.inTransaction) this.db.exec("ROLLBACK");
      const newest = this.#newest.get();
      return (newest ?? this.segment.first - 1) === this.#position;
    } catch (error) {
      this.#poisonWith(`rolling back an append to ${this.path} failed: ${errorText(error)} (${errorCode(error)})`);
      return false;
    }
  }

  /** The lock file can be deleted by hand and a second writer let in: whoever came later wins, the other stops. */
  #expectOwnEpoch(): void {
    const epoch = this.#epochNow.get();
    if (epoch !== this.segment.epoch)
      throw new Error(`another writer opened the log after this one (opening ${String(epoch)}, this is ${this.segment.epoch})`);
  }

  /**
   * The last writing connection to close moves the WAL into the database and deletes it; after a failed fsync
   * that would trust pages the kernel has given up. So the connection goes now, while the guard keeps
   * it from being the last; the guard cannot checkpoint because it cannot write.
   */
  #poisonWith(reason: string): void {
    this.#poison ??= reason;
    this.db.close();
  }

  #refusal(): AppendResult {
    return {
      ok: false,
      code: "unknown",
      message: `${this.#poison ?? "the log failed"}; reopen the log to see what is there`,
      facts: { path: this.path },
    };
  }
}

interface CheckpointRow {
  busy: number;
  log: number;
  checkpointed: number;
}

function conflict(expected: number, actual: number): AppendResult {
  return {
    ok: false,
    code: "conflict",
    message: `append expected the log at position ${expected} and it is at ${actual}; read on from ${Math.min(expected, actual) + 1} and decide again`,
    facts: { actual },
  };
}

/** Moves all of the WAL into the database file and starts it over, or refuses. */
function settle(db: Connection, path: string): void {
  const { busy } = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as CheckpointRow;
  if (busy !== 0)
    throw new StoreError("unavailable", `a reader has kept a transaction open on ${path} for too long; end it and open the log again`, { path });
}

/** The newest batch, checked; a log whose newest batch is damaged must not be written to. */
function readHead(db: Connection, path: string, segment: Segment): { position: number; digest: Uint8Array; at: number } {
  let row: HeadRow | undefined;
  try {
    row = db.prepare("SELECT * FROM batch ORDER BY first DESC LIMIT 1").get() as HeadRow | undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new StoreError("corrupt", `the newest batch of ${path} cannot be read: ${errorText(error)}; verify the log`, { position: 1, path }, { cause: error });
  }
  if (row === undefined) return { position: segment.first - 1, digest: segment.first === 1 ? noDigest() : segment.previous, at: 0 };
  const header = encodeHeader(row, row.body.byteLength);
  const fault =
    crcOf(header, row.body) !== row.crc || !sameDigest(digestOf(row.previous, header, row.body), row.digest)
      ? "its bytes do not match its digest"
      : row.epoch > segment.epoch
        ? `it was written by opening ${row.epoch} and the log counts ${segment.epoch}`
        : framingFault(row.body, row.first, row.count);
  if (fault !== undefined)
    throw new StoreError("corrupt", `the newest batch of ${path}, from position ${row.first} on, is damaged: ${fault}; restore it from a backup`, {
      position: row.first,
      path,
    });
  return { position: row.first + row.count - 1, digest: Uint8Array.from(row.digest), at: row.at };
}
