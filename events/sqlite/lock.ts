/**
 * One writer per log. Node has no flock, but SQLite takes a lock that the kernel drops when the process dies,
 * kill -9 included, so there is never a stale lock file to delete by hand.
 *
 * The lock is its own little database: locking the log itself would keep out the checkpointer and every reader.
 * Nobody may open this file with `fs`: closing any descriptor of it would drop the lock (POSIX).
 */
import { StoreError } from "../store.js";
import { openConnection } from "./connection.js";
import { isBusy } from "./failure.js";

export interface WriterLock {
  release(): void;
}

/** Takes the writer lock of a log, or refuses at once with `locked`, naming the file. */
export function takeLock(path: string): WriterLock {
  const db = openConnection(path, { timeout: 0 });
  try {
    // Nothing is ever written to it, so it needs no journal: on a full disk there would be no room for one.
    db.pragma("journal_mode = MEMORY");
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (isBusy(error))
      throw new StoreError("locked", `another process has this log open for writing (it holds ${path}); stop it first`, { path }, { cause: error });
    throw error;
  }
  return { release: () => void db.close() };
}
