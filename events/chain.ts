/**
 * The digest chain: what is hashed, in which order, and the cheap checks every batch passes going in and out.
 * Every store uses this one form, so a log moved between stores keeps its head.
 *
 * Batch header, 32 bytes, all numbers little-endian:
 *
 *   offset  size  field
 *        0     4  "HFB1"   form of this header and of the chain
 *        4     4  epoch    which opening of the log wrote the batch
 *        8     8  first    position of its first event
 *       16     4  count    events in the body
 *       20     4  length   bytes in the body
 *       24     8  at       when it was written, milliseconds since 1970
 *
 *   digest = SHA-256(previous || header || body)       previous: the digest of the batch before, 32 zero bytes for the first
 *   crc    = CRC-32(header || body)                    the polynomial of zlib, as an unsigned number
 *
 * The CRC finds what a disk breaks, at a fifth of the price of the digest. The digest finds what a person changes.
 *
 * A body is a concatenation of event records. Of a record only its start is known here:
 * u32 length (these four bytes included), u16 type, u16 version, u64 position, u64 time.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

export const DIGEST_BYTES = 32;
export const HEADER_BYTES = 32;
/** Bytes of a record that are the same for every event: length, type, version, position, time. */
export const RECORD_HEAD_BYTES = 24;
/** Largest body of one batch. A group commit is kilobytes; this only stops a runaway caller from filling the memory of four threads. */
export const BODY_BYTES_MAX = 64 * 1024 * 1024;
/** Positions and times are JavaScript numbers, so they end where those stop being exact. */
const EXACT_MAX = Number.MAX_SAFE_INTEGER;

const MAGIC = 0x31424648; // "HFB1"

/** What the header says of a batch, without the body. */
export interface BatchHeader {
  readonly epoch: number;
  readonly first: number;
  readonly count: number;
  readonly at: number;
}

/** A fresh 32 zero bytes: what stands before the first batch. */
export function noDigest(): Uint8Array {
  return new Uint8Array(DIGEST_BYTES);
}

/** The 32 header bytes that CRC and digest cover, see the top of this file. */
export function encodeHeader(header: BatchHeader, bodyBytes: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, header.epoch, true);
  view.setBigUint64(8, BigInt(header.first), true);
  view.setUint32(16, header.count, true);
  view.setUint32(20, bodyBytes, true);
  view.setBigUint64(24, BigInt(header.at), true);
  return bytes;
}

/** CRC-32 over header and body, unsigned. */
export function crcOf(header: Uint8Array, body: Uint8Array): number {
  return crc32(body, crc32(header));
}

/** SHA-256 over the digest before, the header and the body. */
export function digestOf(previous: Uint8Array, header: Uint8Array, body: Uint8Array): Uint8Array {
  return createHash("sha256").update(previous).update(header).update(body).digest();
}

/** Whether two digests are the same bytes. Not constant-time: digests are no secrets. */
export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

/**
 * Says what is wrong with the framing of a body, or nothing: record lengths must add up to the body, there
 * must be `count` of them, and their positions must run on from `first` without a hole.
 *
 * Run at append it stops a caller's mistake from becoming a log that cannot be replayed; run at reading it
 * catches a body that is intact but stands in the wrong row.
 */
export function framingFault(body: Uint8Array, first: number, count: number): string | undefined {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const end = body.byteLength;
  let offset = 0;
  let position = first;
  for (let seen = 0; seen < count; seen++, position++) {
    if (offset + RECORD_HEAD_BYTES > end) return `the body ends inside record ${seen + 1} of ${count}`;
    const length = view.getUint32(offset, true);
    if (length < RECORD_HEAD_BYTES || offset + length > end)
      return `record ${seen + 1} of ${count} claims ${length} bytes at offset ${offset} of a body of ${end}`;
    const found = view.getUint32(offset + 12, true) * 0x1_0000_0000 + view.getUint32(offset + 8, true);
    if (found !== position) return `record ${seen + 1} of ${count} carries position ${found} where ${position} belongs`;
    offset += length;
  }
  return offset === end ? undefined : `${end - offset} bytes stand behind the last of ${count} records`;
}

/**
 * Checks what a caller asks to append. Throws a RangeError naming field and rule: a wrong body is a mistake in
 * the program that made it, not a state of the store, and nothing has been written.
 */
export function checkAppend(expected: number, body: Uint8Array, count: number, at: number): void {
  if (!isExact(expected)) throw new RangeError(`append: expected must be a whole number from 0 on, not ${expected}; pass head().position`);
  if (!isExact(at)) throw new RangeError(`append: at must be whole milliseconds since 1970, not ${at}; round it down`);
  if (!isExact(count) || count > 0xffff_ffff) throw new RangeError(`append: count must be a whole number of events, not ${count}`);
  if (!isExact(expected + count)) throw new RangeError(`append: position ${expected + count} is past the last exact number; start a new log`);
  if (body.byteLength > BODY_BYTES_MAX)
    throw new RangeError(`append: body has ${body.byteLength} bytes and may have ${BODY_BYTES_MAX}; append in several batches`);
  const fault = framingFault(body, expected + 1, count);
  if (fault !== undefined) throw new RangeError(`append: body does not hold ${count} records from position ${expected + 1} on: ${fault}`);
}

function isExact(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= EXACT_MAX;
}
