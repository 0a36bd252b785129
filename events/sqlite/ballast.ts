/**
 * Room kept for a full disk. While the disk is full, leases must still be renewed and released, and the WAL must
 * still be moved into the database file, which needs room for all of the WAL at once. So the ballast is at least
 * as large as the WAL may grow. It is deleted when SQLite first reports a full disk, and
 * made again when there is plenty of room.
 */
import { randomFillSync } from "node:crypto";
import { existsSync, statSync, unlinkSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory, syncDirectoryNow } from "../directory.js";

const SLICE_BYTES = 1024 * 1024;

/** Whether the ballast of `bytes` is there. */
export function hasBallast(path: string, bytes: number): boolean {
  return existsSync(path) && statSync(path).size >= bytes;
}

/** Gives the ballast's room back to the file system; false if there was none. */
export function releaseBallast(path: string): boolean {
  if (!existsSync(path)) return false;
  unlinkSync(path);
  syncDirectoryNow(dirname(path));
  return true;
}

/**
 * Writes the ballast in slices, giving up when `signal` aborts. Random bytes: a file system that compresses or
 * leaves out zeros would keep no room for them. Half a ballast is never left under its name.
 */
export async function layBallast(path: string, bytes: number, signal: AbortSignal): Promise<void> {
  const draft = `${path}.draft`;
  const slice = randomFillSync(new Uint8Array(Math.min(bytes, SLICE_BYTES)));
  try {
    const handle = await open(draft, "w");
    try {
      for (let written = 0; written < bytes && !signal.aborted; ) {
        const { bytesWritten } = await handle.write(slice, 0, Math.min(slice.length, bytes - written));
        written += bytesWritten;
      }
      if (!signal.aborted) await handle.sync();
    } finally {
      await handle.close();
    }
    if (signal.aborted) return;
    await rename(draft, path);
    await syncDirectory(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}
