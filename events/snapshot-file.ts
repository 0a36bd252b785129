/**
 * One state image in one file, whole or not there: written under another name, synced, renamed, its directory synced.
 *
 *   offset  size  field                              all numbers little-endian
 *        0     8  "HFSNAP1\n"
 *        8     4  header bytes, h = 110 + s
 *       12     4  version of the core's snapshot form
 *       16     8  position of the last event in the state
 *       24     8  when it was written, milliseconds since 1970
 *       32     8  image bytes, n
 *       40    32  digest of the batch that holds that position, see chain.ts
 *       72    36  id of the log
 *      108     2  s
 *      110     s  state hash, hexadecimal text
 *        h     n  the image
 *      h+n    32  SHA-256(image || header)
 *
 * The header comes last into the digest because the length of the image is known only when it has been written.
 * Log id and batch digest tie an image to one history: after a log has been restored from a backup and has gone on,
 * an image of what it had been before is well-formed, at a position the log reaches, and wrong.
 */
import { createHash } from "node:crypto";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { syncDirectory } from "./directory.js";
import { sameDigest, DIGEST_BYTES } from "./chain.js";
import type { SnapshotInfo } from "./store.js";

const MAGIC = Buffer.from("HFSNAP1\n", "latin1");
const FIXED_BYTES = 110;
const LOG_ID_BYTES = 36;
/** Slices in which images are hashed, written and read: about half a millisecond of hashing each. */
const SLICE_BYTES = 1024 * 1024;
const STATE_HASH = /^[0-9a-f]{2,128}$/;

/** What the header says; `SnapshotInfo` and what ties the image to its log. */
export interface SnapshotHeader extends SnapshotInfo {
  readonly logId: string;
  readonly digest: Uint8Array;
}

/** Why a file is not a usable snapshot, for people. Its being bad only costs time, so this is no crash. */
export class BadSnapshot extends Error {
  override readonly name = "BadSnapshot";
}

/** File name of the snapshot at a position; names sort by position. */
export function snapshotName(position: number): string {
  return `${String(position).padStart(16, "0")}.snap`;
}

/** The position in a snapshot's file name, or nothing if it is some other file. */
export function snapshotPosition(name: string): number | undefined {
  const match = /^(\d{16})\.snap$/.exec(basename(name));
  return match === null ? undefined : Number(match[1]);
}

/** Checks what a caller asks to write. Throws a RangeError naming field and rule. */
export function checkSnapshotRequest(info: { position: number; stateHash: string; coreVersion: number }, head: number): void {
  if (!Number.isInteger(info.position) || info.position < 1 || info.position > head)
    throw new RangeError(`snapshot: position must be from 1 to the head of the log, ${head}, not ${info.position}; write it once its events are durable`);
  if (!STATE_HASH.test(info.stateHash)) throw new RangeError(`snapshot: stateHash must be 2 to 128 lower-case hexadecimal digits, not "${info.stateHash}"`);
  if (!Number.isInteger(info.coreVersion) || info.coreVersion < 0 || info.coreVersion > 0xffff_ffff)
    throw new RangeError(`snapshot: coreVersion must be a whole number below 2^32, not ${info.coreVersion}`);
}

/**
 * Writes a snapshot and makes it durable under its name. On any failure nothing of it stays. Takes chunks of
 * any size; hashes and writes them in slices, so that the event loop waits for half a millisecond at most.
 */
export async function writeSnapshotFile(
  path: string,
  header: Omit<SnapshotHeader, "bytes">,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<SnapshotHeader> {
  const draft = `${path}.draft`;
  const headerBytes = FIXED_BYTES + Buffer.byteLength(header.stateHash, "latin1");
  try {
    const handle = await open(draft, "w");
    let whole: SnapshotHeader;
    try {
      const hash = createHash("sha256");
      let bytes = 0;
      for await (const chunk of chunks) {
        for (let start = 0; start < chunk.byteLength; start += SLICE_BYTES) {
          const slice = chunk.subarray(start, start + SLICE_BYTES);
          hash.update(slice);
          await writeAll(handle, slice, headerBytes + bytes);
          bytes += slice.byteLength;
        }
      }
      whole = { ...header, bytes };
      const encoded = encodeSnapshotHeader(whole);
      await writeAll(handle, encoded, 0);
      await writeAll(handle, hash.update(encoded).digest(), headerBytes + bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
    await syncDirectory(dirname(path));
    return whole;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Reads and checks the header and the size of the file, not the image. Throws `BadSnapshot` with the reason. */
export async function readSnapshotHeader(path: string): Promise<SnapshotHeader> {
  const handle = await open(path, "r");
  try {
    return (await headerOf(handle)).header;
  } finally {
    await handle.close();
  }
}

/** Checks all of the file. Throws `BadSnapshot` with the reason. */
export async function checkSnapshotFile(path: string): Promise<SnapshotHeader> {
  const handle = await open(path, "r");
  try {
    return (await checked(handle)).header;
  } finally {
    await handle.close();
  }
}

/** The image in slices; the first is given out after all of the file has been checked. Throws `BadSnapshot`. */
export async function* readSnapshotFile(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, "r");
  try {
    const { header, encoded } = await checked(handle);
    for (let offset = 0; offset < header.bytes; offset += SLICE_BYTES) {
      const slice = new Uint8Array(Math.min(SLICE_BYTES, header.bytes - offset));
      await readAll(handle, slice, encoded.byteLength + offset);
      yield slice;
    }
  } finally {
    await handle.close();
  }
}

/** The header bytes, see the top of this file. */
export function encodeSnapshotHeader(header: SnapshotHeader): Uint8Array {
  const hash = Buffer.from(header.stateHash, "latin1");
  const bytes = Buffer.alloc(FIXED_BYTES + hash.byteLength);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(bytes.byteLength, 8);
  bytes.writeUInt32LE(header.coreVersion, 12);
  bytes.writeBigUInt64LE(BigInt(header.position), 16);
  bytes.writeBigUInt64LE(BigInt(header.at), 24);
  bytes.writeBigUInt64LE(BigInt(header.bytes), 32);
  bytes.set(header.digest, 40);
  bytes.write(header.logId.padEnd(LOG_ID_BYTES), 72, LOG_ID_BYTES, "latin1");
  bytes.writeUInt16LE(hash.byteLength, 108);
  hash.copy(bytes, FIXED_BYTES);
  return bytes;
}

async function headerOf(handle: FileHandle): Promise<{ header: SnapshotHeader; encoded: Uint8Array }> {
  const { size } = await handle.stat();
  if (size < FIXED_BYTES + DIGEST_BYTES) throw new BadSnapshot(`the file has ${size} bytes, too few for a snapshot`);
  const fixed = Buffer.alloc(FIXED_BYTES);
  await readAll(handle, fixed, 0);
  if (!fixed.subarray(0, MAGIC.byteLength).equals(MAGIC)) throw new BadSnapshot("the file does not begin as a snapshot of this version");
  const headerBytes = fixed.readUInt32LE(8);
  const hashBytes = fixed.readUInt16LE(108);
  const bytes = Number(fixed.readBigUInt64LE(32));
  if (headerBytes !== FIXED_BYTES + hashBytes || size !== headerBytes + bytes + DIGEST_BYTES)
    throw new BadSnapshot(`the file has ${size} bytes and its header promises ${headerBytes} + ${bytes} + ${DIGEST_BYTES}`);
  const encoded = Buffer.alloc(headerBytes);
  await readAll(handle, encoded, 0);
  const header: SnapshotHeader = {
    position: Number(fixed.readBigUInt64LE(16)),
    stateHash: encoded.toString("latin1", FIXED_BYTES),
    coreVersion: fixed.readUInt32LE(12),
    bytes,
    at: Number(fixed.readBigUInt64LE(24)),
    logId: fixed.toString("latin1", 72, 72 + LOG_ID_BYTES).trimEnd(),
    digest: Uint8Array.from(fixed.subarray(40, 40 + DIGEST_BYTES)),
  };
  return { header, encoded };
}

async function checked(handle: FileHandle): Promise<{ header: SnapshotHeader; encoded: Uint8Array }> {
  const { header, encoded } = await headerOf(handle);
  const hash = createHash("sha256");
  const slice = Buffer.alloc(Math.min(SLICE_BYTES, header.bytes));
  for (let offset = 0; offset < header.bytes; offset += slice.byteLength) {
    const part = slice.subarray(0, Math.min(slice.byteLength, header.bytes - offset));
    await readAll(handle, part, encoded.byteLength + offset);
    hash.update(part);
  }
  const stored = Buffer.alloc(DIGEST_BYTES);
  await readAll(handle, stored, encoded.byteLength + header.bytes);
  if (!sameDigest(hash.update(encoded).digest(), stored)) throw new BadSnapshot("its bytes do not match its digest");
  return { header, encoded };
}

async function readAll(handle: FileHandle, into: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < into.byteLength; ) {
    const { bytesRead } = await handle.read(into, done, into.byteLength - done, at + done);
    if (bytesRead === 0) throw new BadSnapshot("the file became shorter while it was read");
    done += bytesRead;
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) done += (await handle.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
}
