/**
 * Where a realm's log lies in the data directory, and how its files are called.
 *
 *   <dataDir>/<realm>/log-0000000000000001.db   the segment that starts at position 1 (beside it SQLite's -wal and -shm)
 *                     writer.lock.db            held exclusively by the one writer
 *                     snapshots/                state images, see snapshot-folder.ts
 *                     ballast                   room kept for a full disk, see ballast.ts
 *
 * Segment names sort by position. There is one segment today; its name says where it starts so that a log can
 * grow a second one without renaming the first.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../store.js";

export interface LogPaths {
  readonly folder: string;
  readonly lock: string;
  readonly snapshots: string;
  readonly ballast: string;
}

const SEGMENT = /^log-(\d{16})\.db$/;
const REALM = /^[A-Za-z0-9._-]{1,64}$/;

/** The paths of a realm's log. Refuses a realm name that could leave the data directory. */
export function logPaths(dataDir: string, realm: string): LogPaths {
  if (!REALM.test(realm) || realm === "." || realm === "..")
    throw new RangeError(`realm must be 1 to 64 of A-Z a-z 0-9 . _ - and not "." or "..", not "${realm}"; choose another name`);
  return folderPaths(join(dataDir, realm));
}

/** The paths of the log in `folder`, for tools that are given the folder itself. */
export function folderPaths(folder: string): LogPaths {
  return {
    folder,
    lock: join(folder, "writer.lock.db"),
    snapshots: join(folder, "snapshots"),
    ballast: join(folder, "ballast"),
  };
}

/** File name of the segment whose first event has this position. */
export function segmentName(first: number): string {
  return `log-${String(first).padStart(16, "0")}.db`;
}

/** The log's segment in `folder`, or nothing if there is none yet. Lists names only: no log file is opened. */
export function findSegment(folder: string): string | undefined {
  const names = readdirSync(folder).filter((name) => SEGMENT.test(name)).sort();
  if (names.length > 1)
    throw new StoreError("unavailable", `${folder} holds ${names.length} log segments and this version reads one; use the version that wrote them`, {
      path: folder,
    });
  return names[0] === undefined ? undefined : join(folder, names[0]);
}
