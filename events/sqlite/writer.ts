/**
 * Writer thread: takes the lock, opens the log, and turns appends into commits. Whatever has been posted by the
 * time a commit ends goes into the next one together: that is group commit, an fsync shared by all who wait.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { makeDirectoryNow, syncDirectoryNow } from "../directory.js";
import { StoreError, type Head } from "../store.js";
import { releaseBallast } from "./ballast.js";
import { errorCode, isFull as isFullDisk, toFailure, type Failure } from "./failure.js";
import { findSegment, segmentName, type LogPaths } from "./layout.js";
import { takeLock, type WriterLock } from "./lock.js";
import { createSegment, type Segment } from "./schema.js";
import { COMMITS } from "./shared-state.js";
import { WriterLog, type AppendRequest, type AppendResult } from "./writer-log.js";

export interface WriterData {
  readonly paths: LogPaths;
  readonly state: Int32Array;
  readonly now: number;
  readonly walLimitBytes: number;
}

export type WriterRequest =
  | ({ readonly kind: "append"; readonly id: number } & AppendRequest)
  | { readonly kind: "poison"; readonly reason: string }
  | { readonly kind: "make-room" }
  | { readonly kind: "close" };

export type WriterReply =
  | { readonly kind: "opened"; readonly path: string; readonly segment: Segment; readonly head: Head }
  | { readonly kind: "refused"; readonly failure: Failure }
  | { readonly kind: "appended"; readonly ids: readonly number[]; readonly results: readonly AppendResult[]; readonly syncMs: number }
  | { readonly kind: "ballast-released" }
  | { readonly kind: "poisoned"; readonly reason: string }
  | { readonly kind: "closed" };

/** One transaction takes no more than this, so that a flood cannot make the first in it wait for the last. */
const GROUP_BYTES = 8 * 1024 * 1024;
/** How much may be written before the size of the WAL is looked at again. */
const LOOK_BYTES = 1024 * 1024;

if (parentPort === null) throw new Error("events/sqlite/writer.js runs as a worker thread only; use openSqliteStore");
const port = parentPort;
const { paths, state, now, walLimitBytes } = workerData as WriterData;

function say(reply: WriterReply): void {
  port.postMessage(reply);
}

/** Opens what is there or makes a new log; never a new one where an old one was. */
function openLog(): { log: WriterLog; path: string } {
  const existing = findSegment(paths.folder);
  if (existing !== undefined) return { log: WriterLog.open(existing, walLimitBytes), path: existing };
  if (existsSync(paths.snapshots) && readdirSync(paths.snapshots).some((name) => name.endsWith(".snap")))
    throw new StoreError(
      "corrupt",
      `${paths.folder} holds snapshots but no log: its log file was removed; restore it, or move the snapshots away to start an empty log`,
      { position: 1, path: paths.folder },
    );
  const path = join(paths.folder, segmentName(1));
  createSegment(path, now, walLimitBytes);
  return { log: WriterLog.open(path, walLimitBytes), path };
}

/** Shared memory lies in a file too; SQLite has an error of its own for that. */
function needsRoom(error: unknown): boolean {
  return isFullDisk(error) || errorCode(error) === "SQLITE_IOERR_SHMSIZE";
}

/** Opening writes a little too. On a full disk it may use the ballast for that; with none left it is refused as `full`. */
function openWithRoom(): { log: WriterLog; path: string } {
  try {
    return openLog();
  } catch (error) {
    if (!needsRoom(error) || !releaseBallast(paths.ballast)) throw error;
    return openLog();
  }
}

function start(): void {
  let lock: WriterLock | undefined;
  try {
    makeDirectoryNow(paths.folder);
    lock = takeLock(paths.lock);
    const { log, path } = openWithRoom();
    // SQLite syncs the directory when it makes the WAL, and does not mind when that fails. A WAL without a durable name
    // takes every commit in it along when the power goes.
    syncOrClose(log);
    say({ kind: "opened", path, segment: log.segment, head: log.head });
    serve(log, lock);
  } catch (error) {
    lock?.release();
    const [code, doing] = needsRoom(error)
      ? (["full", `no room to open the log in ${paths.folder}; free some and try again`] as const)
      : (["unavailable", `cannot open the log in ${paths.folder}`] as const);
    say({ kind: "refused", failure: toFailure(error, code, doing, paths.folder) });
    port.close();
  }
}

function syncOrClose(log: WriterLog): void {
  try {
    syncDirectoryNow(paths.folder);
  } catch (error) {
    log.close();
    throw error;
  }
}

function serve(log: WriterLog, lock: WriterLock): void {
  let unlooked = 0;
  let poisonSaid = false;

  port.on("message", (first: WriterRequest) => {
    for (let next: WriterRequest | undefined = first; next !== undefined; ) {
      if (next.kind === "append") {
        const { group, after } = gather(next);
        append(group);
        next = after ?? received();
      } else {
        obey(next);
        next = next.kind === "close" ? undefined : received();
      }
    }
  });

  function append(group: Extract<WriterRequest, { kind: "append" }>[]): void {
    const started = performance.now();
    let results = log.commit(group);
    // Rolled back for certain, so the same appends may be tried again with the room that the ballast kept.
    if (results.some(isFull) && makeRoom()) results = log.commit(group);
    const syncMs = performance.now() - started;
    say({ kind: "appended", ids: group.map(({ id }) => id), results, syncMs });
    Atomics.add(state, COMMITS, 1);
    Atomics.notify(state, COMMITS);
    for (const { body } of group) unlooked += body.byteLength;
    if (log.poison === undefined && unlooked >= LOOK_BYTES) keepWalSmall();
    tellPoison();
  }

  function keepWalSmall(): void {
    unlooked = log.walBytes() >= walLimitBytes && !log.checkpoint() ? LOOK_BYTES / 2 : 0;
  }

  function makeRoom(): boolean {
    if (!releaseBallast(paths.ballast)) return false;
    say({ kind: "ballast-released" });
    log.checkpoint();
    return true;
  }

  function obey(request: Exclude<WriterRequest, { kind: "append" }>): void {
    if (request.kind === "poison") log.poisonWith(request.reason);
    else if (request.kind === "make-room") makeRoom();
    else {
      log.close();
      lock.release();
      say({ kind: "closed" });
      port.close();
    }
    tellPoison();
  }

  function tellPoison(): void {
    if (log.poison === undefined || poisonSaid) return;
    poisonSaid = true;
    say({ kind: "poisoned", reason: log.poison });
  }
}

function received(): WriterRequest | undefined {
  return (receiveMessageOnPort(port) as { message: WriterRequest } | undefined)?.message;
}

/** Everything that has been posted up to now, as far as it fits one transaction; `after` is what came next. */
function gather(first: Extract<WriterRequest, { kind: "append" }>) {
  const group = [first];
  let bytes = first.body.byteLength;
  while (bytes < GROUP_BYTES) {
    const next = received();
    if (next === undefined) return { group, after: undefined };
    if (next.kind !== "append") return { group, after: next };
    group.push(next);
    bytes += next.body.byteLength;
  }
  return { group, after: undefined };
}

function isFull(result: AppendResult): boolean {
  return !result.ok && result.code === "full";
}

start();
