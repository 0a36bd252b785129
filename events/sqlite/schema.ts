/**
 * The tables of a log segment, and the settings without which a connection must not touch one.
 *
 * Rows are packed: one per durable append. The body comes last, so that reading the other columns does not
 * walk the pages it overflows into.
 */
import { randomUUID } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { noDigest } from "../chain.js";
import { syncDirectoryNow } from "../directory.js";
import { StoreError } from "../store.js";
import { openConnection, type Connection } from "./connection.js";
import { errorCode, isDamage } from "./failure.js";

/** "HFLG" as SQLite's application id: `file log-*.db` and our own opener can tell a log from any other database. */
export const APPLICATION_ID = 0x48464c47;
/** Version of the tables below. */
export const SCHEMA_VERSION = 1;
/** How bodies are written: 1 = the core's binary event records. */
export const BODY_FORMAT = 1;

/** Longest wait for a lock that another connection holds for moments: a checkpoint, a page being read. */
const BUSY_MS = 5_000;

const TABLES = `
  CREATE TABLE batch(
    first    INTEGER PRIMARY KEY,
    count    INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    epoch    INTEGER NOT NULL,
    format   INTEGER NOT NULL,
    crc      INTEGER NOT NULL,
    previous BLOB NOT NULL,
    digest   BLOB NOT NULL,
    body     BLOB NOT NULL
  ) STRICT;
  CREATE TABLE segment(
    only     INTEGER PRIMARY KEY CHECK (only = 1),
    log      TEXT NOT NULL,
    created  INTEGER NOT NULL,
    first    INTEGER NOT NULL,
    previous BLOB NOT NULL,
    epoch    INTEGER NOT NULL,
    crc      INTEGER NOT NULL
  ) STRICT;
`;

/** What a segment says of itself. */
export interface Segment {
  /** Random id of the log, the same in all its segments. */
  readonly log: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Position of its first event. */
  readonly first: number;
  /** Digest of the batch before its first. */
  readonly previous: Uint8Array;
  /** The newest opening for writing. */
  readonly epoch: number;
}

interface SegmentRow {
  log: string;
  created: number;
  first: number;
  previous: Buffer;
  epoch: number;
  crc: number;
}

/**
 * Opens a connection that may write. Its settings are checked, not hoped for: with `synchronous` at the
 * driver's default for WAL, acknowledged batches are lost in a power cut.
 */
export function connect(path: string, walLimitBytes: number): Connection {
  return connected(path, walLimitBytes, (db) => expectLog(db, path));
}

function connected(path: string, walLimitBytes: number, look: (db: Connection) => void): Connection {
  const db = openConnection(path, { timeout: BUSY_MS });
  try {
    // Before any setting: switching to WAL writes to the file, which may be no log, or nothing any more.
    look(db);
    expectPragma(db, "journal_mode", "WAL", "wal");
    expectPragma(db, "synchronous", "FULL", 2);
    // The automatic checkpoint is off: it throws its I/O errors away.
    expectPragma(db, "wal_autocheckpoint", "0", 0);
    expectPragma(db, "journal_size_limit", String(walLimitBytes), walLimitBytes);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens a connection that cannot write, nor checkpoint when it is closed. Takes no writer lock. */
export function connectReadOnly(path: string): Connection {
  const db = openConnection(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
  try {
    expectLog(db, path);
    return db;
  } catch (error) {
    db.close();
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(errorCode(error))) throw error;
    throw new StoreError("unavailable", `cannot read ${path} where it is: SQLite must be able to make its shared-memory file beside it; copy the folder to a writable place`, { path }, { cause: error });
  }
}

/**
 * Makes a new log's first segment, whole or not at all: built under another name, then renamed. A segment by its
 * right name is therefore never empty, and an empty one is damage, not a new log in which nobody holds
 * an address.
 */
export function createSegment(path: string, now: number, walLimitBytes: number): void {
  const draft = `${path}.draft`;
  for (const leftover of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(leftover, { force: true });
  const segment: Segment = { log: randomUUID(), created: now, first: 1, previous: noDigest(), epoch: 0 };
  const db = connected(draft, walLimitBytes, () => undefined);
  try {
    db.transaction(() => {
      db.exec(TABLES);
      db.prepare("INSERT INTO segment(only, log, created, first, previous, epoch, crc) VALUES (1, ?, ?, ?, ?, ?, ?)").run(
        segment.log,
        segment.created,
        segment.first,
        segment.previous,
        segment.epoch,
        segmentCrc(segment),
      );
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
    }).immediate();
    // Into the database file, synced: the WAL does not follow the rename.
    db.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
  renameSync(draft, path);
  syncDirectoryNow(dirname(path));
}

/** Reads and checks the segment's own row; its CRC guards the log id, which no digest covers. */
export function readSegment(db: Connection, path: string): Segment {
  let row: SegmentRow | undefined;
  try {
    expectLog(db, path);
    row = db.prepare("SELECT log, created, first, previous, epoch, crc FROM segment WHERE only = 1").get() as SegmentRow | undefined;
  } catch (error) {
    if (isDamage(error)) throw damaged(path, "SQLite cannot read its tables", error);
    throw error;
  }
  if (row === undefined) throw damaged(path, "its segment row is gone");
  if (segmentCrc(row) !== row.crc) throw damaged(path, "its segment row does not match its CRC");
  return { log: row.log, created: row.created, first: row.first, previous: Uint8Array.from(row.previous), epoch: row.epoch };
}

/** Counts one more opening for writing and makes it durable. Every batch of this opening carries the number. */
export function raiseEpoch(db: Connection, path: string): Segment {
  return db
    .transaction(() => {
      const before = readSegment(db, path);
      const raised = { ...before, epoch: before.epoch + 1 };
      db.prepare("UPDATE segment SET epoch = ?, crc = ? WHERE only = 1").run(raised.epoch, segmentCrc(raised));
      return raised;
    })
    .immediate();
}

function expectLog(db: Connection, path: string): void {
  let application: unknown;
  let version: unknown;
  try {
    application = db.pragma("application_id", { simple: true });
    version = db.pragma("user_version", { simple: true });
  } catch (error) {
    if (isDamage(error)) throw damaged(path, "SQLite cannot read its header", error);
    throw error;
  }
  if (application !== APPLICATION_ID) throw damaged(path, `its application id is ${String(application)}, a log's is ${APPLICATION_ID}`);
  if (version !== SCHEMA_VERSION)
    throw damaged(path, `its table version is ${String(version)} and this version reads ${SCHEMA_VERSION}; use the version that wrote it`);
}

/** The error for a log whose file as a whole cannot be read. */
export function damaged(path: string, what: string, cause?: unknown): StoreError {
  return new StoreError("corrupt", `log ${path} is not readable from position 1 on: ${what}; restore it from a backup`, { position: 1, path }, { cause });
}

function segmentCrc(segment: Segment): number {
  return crc32(
    [segment.log, segment.created, segment.first, Buffer.from(segment.previous).toString("hex"), segment.epoch].join("\n"),
  );
}

function expectPragma(db: Connection, name: string, value: string, expected: unknown): void {
  db.pragma(`${name} = ${value}`);
  const actual: unknown = db.pragma(name, { simple: true });
  if (actual !== expected) throw new Error(`SQLite keeps ${name} at ${String(actual)} and a log needs ${value}`);
}
