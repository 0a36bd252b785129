/**
 * The snapshots beside a log: which are there, which may be used, which are forgotten. A bad one is passed over,
 * with its reason in the verify report; the log alone is always enough.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sameDigest } from "./chain.js";
import { makeDirectory, syncDirectory } from "./directory.js";
import {
  BadSnapshot, checkSnapshotFile, checkSnapshotRequest, readSnapshotFile, readSnapshotHeader, snapshotName, snapshotPosition, writeSnapshotFile,
  type SnapshotHeader,
} from "./snapshot-file.js";
import { NEWEST_KEPT, snapshotsToKeep } from "./snapshot-keep.js";
import { StoreError, type Head, type SnapshotInfo, type VerifyReport } from "./store.js";

/** What the folder needs to know of the log it lies beside. */
export interface SnapshotLog {
  readonly logId: string;
  head(): Head;
  /** Digest of the batch that holds a position. */
  digestAt(position: number): Promise<Uint8Array | undefined>;
}

export class SnapshotFolder {
  /** One at a time: two that end together would each forget what the other keeps. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly log: SnapshotLog,
  ) {}

  /** Makes the folder and removes what a killed process was writing. */
  async prepare(): Promise<void> {
    await makeDirectory(this.folder);
    for (const name of await readdir(this.folder)) if (name.endsWith(".draft")) await rm(join(this.folder, name), { force: true });
  }

  /** Those whose header belongs to this log, newest first. Their images are checked when they are read. */
  async list(): Promise<SnapshotInfo[]> {
    const good: SnapshotInfo[] = [];
    for (const position of await this.#positions()) {
      const found = await this.#judged(position, readSnapshotHeader);
      if (!(found instanceof BadSnapshot)) good.push(infoOf(found));
    }
    return good;
  }

  /** Checks every file whole, newest first. */
  async verify(): Promise<VerifyReport["snapshots"]> {
    const verdicts: { position: number; ok: boolean; reason?: string }[] = [];
    for (const position of await this.#positions()) {
      const found = await this.#judged(position, checkSnapshotFile);
      verdicts.push(found instanceof BadSnapshot ? { position, ok: false, reason: found.message } : { position, ok: true });
    }
    return verdicts;
  }

  /** The image at `position`, checked whole before its first slice. Throws `corrupt` if it is bad, `unavailable` if it is not there. */
  async *read(position: number): AsyncGenerator<Uint8Array> {
    const path = join(this.folder, snapshotName(position));
    try {
      const found = await this.#judged(position, readSnapshotHeader);
      if (found instanceof BadSnapshot) throw found;
      yield* readSnapshotFile(path);
    } catch (error) {
      if (error instanceof BadSnapshot)
        throw new StoreError("corrupt", `snapshot ${path} is not usable: ${error.message}; use an older one or replay the log`, { position, path }, { cause: error });
      if (error instanceof Error && "code" in error && error.code === "ENOENT")
        throw new StoreError("unavailable", `there is no snapshot at position ${position}; snapshots() lists those there are`, { position, path }, { cause: error });
      throw error;
    }
  }

  /** Writes one and forgets those no longer needed beside a log of `logBytes`. Nothing of it stays if it fails. */
  async write(info: Omit<SnapshotInfo, "bytes" | "at">, at: number, logBytes: number, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<SnapshotInfo> {
    const written = this.#writing.then(() => this.#write(info, at, logBytes, chunks));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Resolves when no snapshot is being written. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #write(info: Omit<SnapshotInfo, "bytes" | "at">, at: number, logBytes: number, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<SnapshotInfo> {
    checkSnapshotRequest(info, this.log.head().position);
    const { position, stateHash, coreVersion } = info;
    const path = join(this.folder, snapshotName(position));
    const digest = await this.log.digestAt(position);
    if (digest === undefined) throw new StoreError("corrupt", `the log has no batch that holds position ${position}; verify it`, { position });
    try {
      const header = await writeSnapshotFile(path, { position, stateHash, coreVersion, at, logId: this.log.logId, digest }, chunks);
      await this.#forgetUnneeded(logBytes);
      return infoOf(header);
    } catch (error) {
      if (error instanceof StoreError || !(error instanceof Error && "code" in error)) throw error;
      const code = error.code === "ENOSPC" || error.code === "EDQUOT" ? "full" : "unavailable";
      throw new StoreError(code, `cannot write snapshot ${path}: ${error.message}; the log is not affected`, { position, path }, { cause: error });
    }
  }

  /** Bad ones go as well once two good ones are there; until then they may be all there is to look at. */
  async #forgetUnneeded(logBytes: number): Promise<void> {
    const good = await this.list();
    if (good.length < NEWEST_KEPT) return;
    const kept = new Set(snapshotsToKeep(good, logBytes).map(({ position }) => position));
    const unneeded = (await this.#positions()).filter((position) => !kept.has(position));
    for (const position of unneeded) await rm(join(this.folder, snapshotName(position)), { force: true });
    if (unneeded.length > 0) await syncDirectory(this.folder);
  }

  async #judged(position: number, read: (path: string) => Promise<SnapshotHeader>): Promise<SnapshotHeader | BadSnapshot> {
    try {
      const header = await read(join(this.folder, snapshotName(position)));
      if (header.position !== position) return new BadSnapshot(`its header says position ${header.position}`);
      if (header.logId !== this.log.logId) return new BadSnapshot(`it belongs to log ${header.logId}, this is ${this.log.logId}`);
      if (position > this.log.head().position) return new BadSnapshot(`it lies past the head of the log, ${this.log.head().position}`);
      const digest = await this.log.digestAt(position);
      if (digest === undefined || !sameDigest(digest, header.digest)) return new BadSnapshot("the log has another history up to its position");
      return header;
    } catch (error) {
      if (error instanceof BadSnapshot) return error;
      if (error instanceof StoreError && error.code === "corrupt") return new BadSnapshot(`the log cannot vouch for it: ${error.message}`);
      throw error;
    }
  }

  async #positions(): Promise<number[]> {
    let names: string[];
    try {
      names = await readdir(this.folder);
    } catch (error) {
      // A log opened read-only before it ever had a snapshot.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
    return names.map(snapshotPosition).filter((position) => position !== undefined).sort((a, b) => b - a);
  }
}

function infoOf({ position, stateHash, coreVersion, bytes, at }: SnapshotHeader): SnapshotInfo {
  return { position, stateHash, coreVersion, bytes, at };
}
