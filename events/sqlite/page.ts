/**
 * Reads a log page by page and checks every batch on the way. Runs inside the reader thread; each page is a
 * read transaction of its own, so that no reader, however slow its consumer, pins the WAL.
 */
import { crcOf, digestOf, encodeHeader, framingFault, sameDigest, DIGEST_BYTES } from "../chain.js";
import { StoreError, type Head } from "../store.js";
import { errorText, isDamage } from "./failure.js";
import type { Connection } from "./connection.js";
import { BODY_FORMAT, type Segment } from "./schema.js";

/**
 * What is checked of a batch besides its CRC, its framing and its place behind the one before:
 * `linked`: its stored `previous` is the stored digest before it. Finds whatever a disk can do.
 * `digest`: the digest is computed anew as well. Finds what a person did, at three times the price.
 */
export type ReadCheck = "linked" | "digest";

/** Where a read stands: the batch that begins at `next` is due, behind `previous`. */
export interface Cursor {
  readonly next: number;
  readonly previous: Uint8Array;
}

export interface PageRequest {
  readonly cursor: Cursor;
  /** Last position wanted. */
  readonly upTo: number;
  readonly check: ReadCheck;
  /** Leave the bodies out: only the verdict is wanted. */
  readonly bodies: boolean;
  readonly bytes: number;
}

export interface PageBatch {
  readonly first: number;
  readonly count: number;
  readonly at: number;
  readonly epoch: number;
}

export interface Page {
  readonly batches: readonly PageBatch[];
  /** One digest behind the other. */
  readonly digests: Uint8Array;
  /** Bodies in order: each large one in a buffer of its own, small ones together. */
  readonly bodies: readonly Uint8Array[];
  readonly after: Cursor;
  /** What stopped the page; the batches before it are good. */
  readonly fault?: { readonly position: number; readonly reason: string };
}

/** Rows of a page, whatever their size: bounds the time one page takes when batches are tiny. */
const PAGE_ROWS = 4096;
/** From here on a body travels in the buffer SQLite's driver made for it; below, copying costs less than handing over. */
const OWN_BUFFER_BYTES = 16 * 1024;

const UINT32_MAX = 0xffff_ffff;

interface Link {
  first: number;
  count: number;
  digest: Uint8Array;
}

type Row = [first: number, count: number, at: number, epoch: number, format: number, crc: number, previous: Buffer, digest: Buffer, body: Buffer];

export class PageReader {
  readonly #row;
  readonly #whole;
  readonly #holding;
  readonly #before;
  readonly #newest;

  constructor(
    db: Connection,
    private readonly path: string,
    private readonly segment: Segment,
  ) {
    // The order is stated: without it SQLite may give rows in whatever order it likes.
    this.#row = db
      .prepare("SELECT first, count, at, epoch, format, crc, previous, digest, body FROM batch WHERE first BETWEEN ? AND ? ORDER BY first LIMIT 1")
      .raw();
    this.#whole = db
      .prepare("SELECT first, count, at, epoch, format, crc, previous, digest, body FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1")
      .raw();
    this.#holding = db.prepare("SELECT first, count, digest FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1");
    this.#before = db.prepare("SELECT first, count, digest FROM batch WHERE first < ? ORDER BY first DESC LIMIT 1");
    this.#newest = db.prepare("SELECT first, count, digest FROM batch ORDER BY first DESC LIMIT 1");
  }

  /**
   * Where to start so that the first batch is the one that holds `from`, which the log is known to reach. Where rows
   * are missing the cursor stands at the hole, so that reading reports the first position that is gone.
   */
  cursorAt(from: number): Cursor {
    return this.#guarded(from, () => {
      const start = { next: this.segment.first, previous: this.segment.previous };
      if (from <= this.segment.first) return start;
      const holding = this.#link(this.#holding.get(from));
      if (holding === undefined || holding.first === this.segment.first) return start;
      if (holding.first + holding.count <= from) return { next: holding.first + holding.count, previous: holding.digest };
      const before = this.#link(this.#before.get(holding.first));
      return before === undefined ? start : { next: before.first + before.count, previous: before.digest };
    });
  }

  /** The digest of the batch that holds `position`, or nothing when the log does not reach it. */
  digestAt(position: number): Uint8Array | undefined {
    return this.#guarded(position, () => {
      const row = this.#link(this.#holding.get(position));
      return row !== undefined && position < row.first + row.count ? row.digest : undefined;
    });
  }

  /** Position and digest of the newest batch as stored; reading up to it is what checks it. */
  head(): Head {
    return this.#guarded(this.segment.first, () => {
      const row = this.#link(this.#newest.get());
      return row === undefined
        ? { position: this.segment.first - 1, digest: this.segment.previous }
        : { position: row.first + row.count - 1, digest: row.digest };
    });
  }

  /**
   * Position of the last event written at or before `at`, 0 if none. Times never go back from row to row, so halving
   * finds it in some twenty look-ups; an index on `at` would add a page to the write of every commit.
   * Every row looked at is checked: a broken time would send the search the wrong way without a sound.
   */
  positionAt(at: number): number {
    return this.#guarded(this.segment.first, () => {
      let low = this.segment.first - 1;
      let high = this.head().position;
      while (low < high) {
        const middle = low + Math.ceil((high - low) / 2);
        const row = this.#whole.get(middle) as Row | undefined;
        if (row === undefined || !(row[0] + row[1] > middle)) throw this.#corrupt(middle, "the batch that holds it is missing");
        const reason = this.#ownFault(row);
        if (reason !== undefined) throw this.#corrupt(row[0], reason);
        const [first, count, written] = row;
        if (written <= at) low = first + count - 1;
        else high = first - 1;
      }
      return low;
    });
  }

  /** The next page: whole, checked batches from the cursor on, at least one unless the end or a fault comes first. */
  read(request: PageRequest): Page {
    const { upTo, check, bodies: wanted, bytes } = request;
    let { next, previous } = request.cursor;
    const batches: PageBatch[] = [];
    const digests: Uint8Array[] = [];
    const bodies: Uint8Array[] = [];
    let held = 0;
    let fault: Page["fault"];
    try {
      while (held < bytes && batches.length < PAGE_ROWS) {
        // Row by row and not by the driver's iterator, see connection.ts.
        const row = this.#row.get(next, upTo) as Row | undefined;
        if (row === undefined) break;
        const reason = this.#fault(row, next, previous, check);
        if (reason !== undefined) {
          fault = { position: next, reason };
          break;
        }
        const [first, count, at, epoch, , , , digest, body] = row;
        batches.push({ first, count, at, epoch });
        digests.push(digest);
        if (wanted) bodies.push(body);
        next = first + count;
        previous = digest;
        held += body.byteLength + DIGEST_BYTES;
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      fault = { position: next, reason: `SQLite cannot read the row: ${errorText(error)}` };
    }
    if (fault === undefined && batches.length === 0 && next <= upTo)
      fault = { position: next, reason: "the batch that begins here is missing" };
    const after = { next, previous: Uint8Array.from(previous) };
    return { batches, digests: joined(digests), bodies: packed(bodies), after, ...(fault === undefined ? {} : { fault }) };
  }

  #fault(row: Row, next: number, previous: Uint8Array, check: ReadCheck): string | undefined {
    const [first, count, at, epoch, , , before, digest, body] = row;
    if (first !== next) return `the batch that begins here is missing; the next begins at ${first}`;
    const reason = this.#ownFault(row);
    if (reason !== undefined) return reason;
    if (!sameDigest(before, previous)) return "it does not follow the batch before: its previous digest is another";
    if (check === "digest" && !sameDigest(digestOf(before, encodeHeader({ epoch, first, count, at }, body.byteLength), body), digest))
      return "its bytes do not match its digest";
    return framingFault(body, first, count);
  }

  /** What is wrong with a row by itself. A broken row can hold any type in any column. */
  #ownFault(row: Row): string | undefined {
    const [first, count, at, epoch, format, crc, previous, digest, body] = row;
    if (format !== BODY_FORMAT) return `its body has format ${String(format)} and this version reads ${BODY_FORMAT}`;
    if (![first, count, at, epoch].every((value) => Number.isSafeInteger(value) && value >= 0) || count < 1 || count > UINT32_MAX || epoch > UINT32_MAX)
      return "its count, epoch or time is out of range";
    if (!isDigest(previous) || !isDigest(digest) || !(body instanceof Uint8Array)) return "its digests or its body are not bytes of the right length";
    return crcOf(encodeHeader({ epoch, first, count, at }, body.byteLength), body) === crc ? undefined : "its bytes do not match its CRC";
  }

  /** The columns that place a row in the chain, if they can be that. */
  #link(row: unknown): Link | undefined {
    if (row === undefined) return undefined;
    const { first, count, digest } = row as Link;
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1 || !isDigest(digest))
      throw this.#corrupt(Number.isSafeInteger(first) ? first : this.segment.first, "its count or digest is out of range");
    return { first, count, digest: Uint8Array.from(digest) };
  }

  #corrupt(position: number, reason: string, cause?: unknown): StoreError {
    return new StoreError("corrupt", `log ${this.path} is damaged at position ${position}: ${reason}; verify it`, { position, path: this.path }, { cause });
  }

  /** Gives damage that SQLite itself finds the position at which it was met. */
  #guarded<T>(position: number, look: () => T): T {
    try {
      return look();
    } catch (error) {
      throw isDamage(error) ? this.#corrupt(position, errorText(error), error) : error;
    }
  }
}

function isDigest(value: unknown): boolean {
  return value instanceof Uint8Array && value.byteLength === DIGEST_BYTES;
}

function joined(digests: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(digests.length * DIGEST_BYTES);
  digests.forEach((digest, index) => all.set(digest, index * DIGEST_BYTES));
  return all;
}

/** Moves small bodies into one shared buffer; all buffers of the result may be transferred. */
function packed(bodies: readonly Uint8Array[]): Uint8Array[] {
  const small = bodies.reduce((sum, body) => (body.byteLength < OWN_BUFFER_BYTES ? sum + body.byteLength : sum), 0);
  const shared = new Uint8Array(small);
  let offset = 0;
  return bodies.map((body) => {
    if (body.byteLength >= OWN_BUFFER_BYTES) return body;
    shared.set(body, offset);
    offset += body.byteLength;
    return shared.subarray(offset - body.byteLength, offset);
  });
}
