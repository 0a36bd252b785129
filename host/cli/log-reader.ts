/**
 * A log as commands read it: no writer lock, no way to write, the head as it was when it was opened. A server may
 * append to the same log meanwhile.
 */
import { SnapshotFolder } from "../../events/snapshot-folder.js";
import { findSegment, logPaths } from "../../events/sqlite/layout.js";
import { pagedRead } from "../../events/sqlite/paged-read.js";
import { ReaderThread } from "../../events/sqlite/reader-thread.js";
import { verifyThrough } from "../../events/sqlite/verify.js";
import { StoreError, type EventStore } from "../../events/store.js";

/** What a store offers without its writer. */
export type ReadOnlyLog = Pick<EventStore, "logId" | "head" | "read" | "positionAt" | "snapshots" | "readSnapshot" | "verify" | "close">;

/** Rejects with StoreError `unavailable` where there is no log, `corrupt` where its tables cannot be read. */
export async function openReadOnly(place: { readonly dataDir: string; readonly realm: string }): Promise<ReadOnlyLog> {
  const paths = logPaths(place.dataDir, place.realm);
  const path = findSegment(paths.folder);
  if (path === undefined) throw new StoreError("unavailable", `there is no log in ${paths.folder}`, { path: paths.folder });
  const reader = new ReaderThread(path);
  try {
    const segment = await reader.ask({ ask: "segment" });
    const head = await reader.ask({ ask: "head" });
    const snapshots = new SnapshotFolder(paths.snapshots, { logId: segment.log, head: () => head, digestAt: (position) => reader.ask({ ask: "digest", position }) });
    return {
      logId: segment.log,
      head: () => head,
      read: (from) => pagedRead(reader, path, { from: Math.max(1, from), head, check: "linked" }),
      positionAt: (at) => reader.ask({ ask: "position", at }),
      snapshots: () => snapshots.list(),
      readSnapshot: (position) => snapshots.read(position),
      verify: (progress) => verifyThrough(reader, snapshots, head, progress),
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}
