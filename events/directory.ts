/**
 * Makes names durable. A file that is synced in a directory that is not can vanish with the next power cut,
 * whole and checksummed as it was.
 */
import { mkdir, open } from "node:fs/promises";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Waits until creations, renames and removals in `folder` are on disk. */
export async function syncDirectory(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** As `syncDirectory`, for threads that have nothing else to do. */
export function syncDirectoryNow(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes `folder` and what is missing above it, each name synced in its parent. */
export function makeDirectoryNow(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeDirectoryNow(parent);
  mkdirSync(folder, { recursive: true });
  syncDirectoryNow(parent);
}

/** As `makeDirectoryNow` for one level whose parent is durable already. */
export async function makeDirectory(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await syncDirectory(dirname(folder));
}
