/**
 * Thread that moves the WAL into the database file while the writer goes on writing, so that no append has to
 * wait for it: done inline, every thousandth page costs some unlucky request 6 ms.
 *
 * It never waits for a lock (PASSIVE). Under a load that it cannot keep up with, the writer
 * steps in once the WAL reaches its limit.
 */
import { parentPort, workerData } from "node:worker_threads";
import { errorCode, errorText, isBusy, isFull } from "./failure.js";
import { connect } from "./schema.js";
import { COMMITS, STOP } from "./shared-state.js";

export interface CheckpointerData {
  readonly path: string;
  readonly walLimitBytes: number;
  readonly state: Int32Array;
  /** Pause between checkpoints, milliseconds. */
  readonly everyMs: number;
}

export type CheckpointerMessage =
  | { readonly kind: "full" }
  /** The device failed: the log must not be written any more. */
  | { readonly kind: "failed"; readonly reason: string };

/** After the disk was full, trying again sooner only burns it. */
const FULL_PAUSE_MS = 1_000;

if (parentPort === null) throw new Error("events/sqlite/checkpointer.js runs as a worker thread only; use openSqliteStore");
const port = parentPort;
const { path, walLimitBytes, state, everyMs } = workerData as CheckpointerData;

function run(): void {
  const db = connect(path, walLimitBytes);
  try {
    const checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    let seen = 0;
    let pause = everyMs;
    while (Atomics.load(state, STOP) === 0) {
      Atomics.wait(state, COMMITS, seen);
      // The pause comes first: what follows the commit at once is moved together with it.
      if (Atomics.wait(state, STOP, 0, pause) !== "timed-out") break;
      pause = everyMs;
      seen = Atomics.load(state, COMMITS);
      try {
        checkpoint.get();
      } catch (error) {
        if (isFull(error)) {
          say({ kind: "full" });
          pause = FULL_PAUSE_MS;
        } else if (!isBusy(error)) {
          throw error;
        }
      }
    }
  } finally {
    // In time: the writer closes after this thread is gone, or keeps its guard open, see writer-log.ts.
    db.close();
  }
}

function say(message: CheckpointerMessage): void {
  port.postMessage(message);
}

try {
  run();
} catch (error) {
  say({ kind: "failed", reason: `moving the WAL into ${path} failed: ${errorText(error)} (${errorCode(error)})` });
}
