/**
 * Remembers answers by `Idempotency-Key`, so that a caller whose connection broke can send the same request
 * again and get the same answer instead of doing it twice.
 *
 * Kept in this process: an answer is remembered for `keepSeconds`, or until `keysMax` newer keys or
 * `bytesMax` newer bytes push it out, or until the process ends. Commands are safe to repeat after that too:
 * a PUT that changes nothing writes nothing, a repeated lease request renews the lease it made.
 */
import { createHash } from "node:crypto";
import { Problem, invalid } from "./problem.js";
import type { Reply } from "./reply.js";

export const keepSeconds = 3600;
const keysMax = 65_536;
const bytesMax = 64 * 1024 * 1024;
/** What an entry costs beside its texts, roughly. */
const entryBytes = 400;

/** Longest key: it also stands as correlation in the events, which hold 255 bytes. */
export const keyLengthMax = 255;

interface Entry {
  readonly fingerprint: string;
  readonly since: number;
  /** Pending until the first caller has its answer; then replaced by it. */
  answer: Promise<Reply> | Reply;
  bytes: number;
}

export class IdempotencyMemory {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(
    readonly clock: () => number,
    readonly limits: { readonly keys: number; readonly bytes: number; readonly seconds: number } = {
      keys: keysMax,
      bytes: bytesMax,
      seconds: keepSeconds,
    },
  ) {}

  /** How many answers are kept now. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Runs `work` once for `key` and `scope` (the caller's name: keys of two callers never meet). The same
   * key with the same fingerprint gives the first answer again, waiting for it if need be; with another one
   * it is refused with `idempotency-mismatch`.
   */
  async run(scope: string, key: string, fingerprint: string, work: () => Promise<Reply>): Promise<Reply> {
    this.#forgetOld();
    const name = `${scope}\n${key}`;
    const known = this.#entries.get(name);
    if (known !== undefined) {
      if (known.fingerprint !== fingerprint) {
        throw new Problem(
          "idempotency-mismatch",
          `The key ${JSON.stringify(key)} came with another request before; take a new key for a new request.`,
          {
            field: "Idempotency-Key",
            rule: "same-request",
            since: new Date(known.since).toISOString(),
          },
        );
      }
      const reply = await known.answer;
      return { ...reply, headers: { ...reply.headers, "Idempotency-Replayed": "true" } };
    }
    const answer = work();
    const entry: Entry = { fingerprint, since: this.clock(), answer, bytes: 0 };
    this.#entries.set(name, entry);
    try {
      const reply = await answer;
      if (reply.undecided === true) this.#forget(name, entry);
      else this.#keep(name, entry, reply);
      return reply;
    } catch (error) {
      this.#forget(name, entry);
      throw error;
    }
  }

  #keep(name: string, entry: Entry, reply: Reply): void {
    if (this.#entries.get(name) !== entry) return;
    entry.answer = reply;
    entry.bytes = entryBytes + 2 * (name.length + (reply.body?.length ?? 0));
    this.#bytes += entry.bytes;
    for (const [oldName, old] of this.#entries) {
      if (this.#bytes <= this.limits.bytes && this.#entries.size <= this.limits.keys) break;
      // An answer somebody waits for is not pushed out; there are only as many as open requests.
      if (old.answer instanceof Promise) continue;
      this.#forget(oldName, old);
    }
  }

  #forget(name: string, entry: Entry): void {
    if (this.#entries.get(name) !== entry) return;
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
  }

  #forgetOld(): void {
    const oldest = this.clock() - this.limits.seconds * 1000;
    for (const [name, entry] of this.#entries) {
      if (entry.since > oldest) break;
      if (!(entry.answer instanceof Promise)) this.#forget(name, entry);
      else break;
    }
  }
}

/** Checks a key from the header: 1 to 255 printable ASCII characters. */
export function idempotencyKey(text: string): string {
  if (text.length === 0 || text.length > keyLengthMax || !/^[\x21-\x7e]+$/.test(text)) {
    throw invalid(
      "Idempotency-Key",
      "key-form",
      `A key has 1 to ${keyLengthMax} printable ASCII characters without spaces; this one has ${text.length} characters.`,
    );
  }
  return text;
}

/** Digest of all that makes two requests the same: method, target, conditions and body. */
export function fingerprint(parts: readonly string[]): string {
  const hash = createHash("sha256");
  // Lengths between the parts, so that no text can shift from one part to the next.
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("base64");
}
