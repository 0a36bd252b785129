/**
 * The store for tests and for embedding: the same promises and the same digest chain as the durable ones, kept in
 * memory, on a `MemoryDisk` that outlives the store as a disk outlives a process. Its faults are scripted.
 */
import { createHash, randomUUID } from "node:crypto";
import { checkAppend, digestOf, encodeHeader, framingFault, noDigest, sameDigest } from "./chain.js";
import { checkSnapshotRequest } from "./snapshot-file.js";
import { snapshotsToKeep } from "./snapshot-keep.js";
import { StoreError, type Appended, type Batch, type EventStore, type Head, type Room, type SnapshotInfo, type VerifyReport } from "./store.js";

/** What befalls one append. */
export type AppendFault =
  /** Nobody knows; `written` says what is really there after reopening. */
  | { readonly kind: "unknown"; readonly written: boolean }
  | { readonly kind: "unavailable" }
  | { readonly kind: "full" }
  /** Another writer comes first with this batch. */
  | { readonly kind: "conflict"; readonly body: Uint8Array; readonly count: number }
  /** Written at once, answered when `until` resolves; later appends wait behind it. */
  | { readonly kind: "delay"; readonly until: Promise<unknown> };

interface StoredSnapshot {
  readonly info: SnapshotInfo;
  readonly digest: Uint8Array;
  readonly sum: Uint8Array;
  readonly image: Uint8Array;
}

const SLICE_BYTES = 1024 * 1024;

/** What survives a store: batches, snapshots, the count of openings, and the faults that are to come. */
export class MemoryDisk {
  readonly logId: string = randomUUID();
  readonly batches: Batch[] = [];
  readonly snapshots = new Map<number, StoredSnapshot>();
  room: Room = { state: "ok", freeBytes: Number.MAX_SAFE_INTEGER };
  epoch = 0;
  writer: MemoryStore | undefined;
  readonly #faults = new Map<number, AppendFault>();
  #appends = 0;

  /** Lets `fault` befall the n-th append from now on, counted from 1. */
  failAppend(n: number, fault: AppendFault): void {
    this.#faults.set(this.#appends + n, fault);
  }

  /** As kill -9 for the store that has it open: what was written stays, nothing more is answered but with an error. */
  crash(): void {
    this.writer?.crash();
    this.writer = undefined;
  }

  head(): Head {
    const newest = this.batches.at(-1);
    return newest === undefined ? { position: 0, digest: noDigest() } : { position: newest.first + newest.count - 1, digest: newest.digest };
  }

  bytes(): number {
    return this.batches.reduce((sum, batch) => sum + batch.body.byteLength, 0);
  }

  takeFault(): AppendFault | undefined {
    this.#appends++;
    const fault = this.#faults.get(this.#appends);
    this.#faults.delete(this.#appends);
    return fault;
  }

  write(body: Uint8Array, count: number, at: number, epoch: number): void {
    const newest = this.batches.at(-1);
    const { position, digest: previous } = this.head();
    const header = { epoch, first: position + 1, count, at: Math.max(at, newest?.at ?? 0) };
    // A copy: the core goes on writing where the caller's bytes lie.
    const kept = Uint8Array.from(body);
    const digest = digestOf(previous, encodeHeader(header, kept.byteLength), kept);
    this.batches.push({ ...header, digest, previous, body: kept });
  }

  /** Index of the batch that holds `position`, or of the first one behind it. */
  indexOf(position: number): number {
    let low = 0;
    let high = this.batches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const batch = this.batches[middle]!;
      if (batch.first + batch.count <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What is wrong with the batch at `index`, if anything. */
  fault(index: number): VerifyReport["fault"] {
    const batch = this.batches[index]!;
    const before = this.batches[index - 1];
    const next = before === undefined ? 1 : before.first + before.count;
    const previous = before?.digest ?? noDigest();
    if (batch.first !== next) return { position: next, reason: `the batch that begins here is missing; the next begins at ${batch.first}` };
    if (!sameDigest(batch.previous, previous)) return { position: next, reason: "it does not follow the batch before: its previous digest is another" };
    if (!sameDigest(digestOf(previous, encodeHeader(batch, batch.body.byteLength), batch.body), batch.digest))
      return { position: next, reason: "its bytes do not match its digest" };
    const reason = framingFault(batch.body, batch.first, batch.count);
    return reason === undefined ? undefined : { position: next, reason };
  }
}

/** Opens a log on `disk`, an empty one without. Refuses with `locked` while another store has it open. */
export function openMemoryStore(disk: MemoryDisk = new MemoryDisk()): Promise<MemoryStore> {
  if (disk.writer !== undefined)
    return Promise.reject(new StoreError("locked", "another store has this log open for writing (memory); close it first", { path: "memory" }));
  disk.epoch++;
  disk.writer = new MemoryStore(disk);
  return Promise.resolve(disk.writer);
}

export class MemoryStore implements EventStore {
  readonly kind = "memory";
  readonly epoch: number;
  #head: Head;
  #ended: StoreError | undefined;
  /** Settles when every append so far has been answered; answers go out in order behind it. */
  #answered: Promise<unknown> = Promise.resolve();
  readonly #followers = new Set<() => void>();

  constructor(private readonly disk: MemoryDisk) {
    this.epoch = disk.epoch;
    this.#head = disk.head();
  }

  get logId(): string {
    return this.disk.logId;
  }

  head(): Head {
    return this.#head;
  }

  room(): Room {
    return this.disk.room;
  }

  append(expected: number, body: Uint8Array, count: number, at: number): Promise<Appended> {
    let outcome: { appended: Appended; until?: Promise<unknown> } | StoreError;
    try {
      if (this.#ended !== undefined) throw this.#ended;
      checkAppend(expected, body, count, at);
      outcome = this.#write(expected, body, count, at);
    } catch (error) {
      if (!(error instanceof StoreError)) return Promise.reject(error as Error);
      outcome = error;
    }
    const answer = this.#answered.then(async () => {
      if (outcome instanceof StoreError) throw outcome;
      await outcome.until;
      if (this.#ended !== undefined && this.#ended.code !== "closed") throw this.#ended;
      this.#head = outcome.appended.head;
      this.#wake();
      return outcome.appended;
    });
    this.#answered = answer.catch(() => undefined);
    return answer;
  }

  read(from: number): AsyncGenerator<Batch> {
    this.#refuseIfEnded();
    return this.#read(Math.max(1, from), this.#head.position);
  }

  async *follow(from: number, signal: AbortSignal): AsyncGenerator<Batch> {
    let next = Math.max(1, from);
    while (!signal.aborted) {
      if (next <= this.#head.position) {
        for await (const batch of this.read(next)) {
          if (signal.aborted) return;
          yield batch;
          next = batch.first + batch.count;
        }
      } else {
        this.#refuseIfEnded();
        await this.#newBatch(signal);
      }
    }
  }

  positionAt(at: number): Promise<number> {
    return this.#answer(() => {
      const newest = this.disk.batches.findLast((batch) => batch.at <= at && batch.first <= this.#head.position);
      return newest === undefined ? 0 : newest.first + newest.count - 1;
    });
  }

  snapshots(): Promise<readonly SnapshotInfo[]> {
    return this.#answer(() =>
      [...this.disk.snapshots.values()]
        .filter((snapshot) => this.#snapshotFault(snapshot, false) === undefined)
        .map(({ info }) => info)
        .sort((a, b) => b.position - a.position),
    );
  }

  async *readSnapshot(position: number): AsyncGenerator<Uint8Array> {
    this.#refuseIfEnded();
    const snapshot = this.disk.snapshots.get(position);
    if (snapshot === undefined)
      throw new StoreError("unavailable", `there is no snapshot at position ${position}; snapshots() lists those there are`, { position });
    const fault = this.#snapshotFault(snapshot, true);
    if (fault !== undefined)
      throw new StoreError("corrupt", `the snapshot at ${position} is not usable: ${fault}; use an older one or replay the log`, { position });
    for (let offset = 0; offset < snapshot.image.byteLength; offset += SLICE_BYTES) yield snapshot.image.slice(offset, offset + SLICE_BYTES);
  }

  async writeSnapshot(
    info: Omit<SnapshotInfo, "bytes" | "at">,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<SnapshotInfo> {
    this.#refuseIfEnded();
    checkSnapshotRequest(info, this.#head.position);
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(Uint8Array.from(chunk));
    this.#refuseIfEnded();
    const image = Uint8Array.from(Buffer.concat(parts));
    const { position, stateHash, coreVersion } = info;
    const digest = this.disk.batches[this.disk.indexOf(position)]!.digest;
    const whole: SnapshotInfo = { position, stateHash, coreVersion, bytes: image.byteLength, at: Date.now() };
    this.disk.snapshots.set(position, { info: whole, digest, sum: sumOf(image), image });
    const kept = new Set(snapshotsToKeep([...this.disk.snapshots.values()].map(({ info: there }) => there), this.disk.bytes()).map((there) => there.position));
    for (const there of [...this.disk.snapshots.keys()]) if (!kept.has(there)) this.disk.snapshots.delete(there);
    return whole;
  }

  verify(progress?: (position: number) => void): Promise<VerifyReport> {
    return this.#answer(() => {
      let fault: VerifyReport["fault"];
      let head: Head = { position: 0, digest: noDigest() };
      let batches = 0;
      for (const [index, batch] of this.disk.batches.entries()) {
        if (batch.first > this.#head.position) break;
        fault = this.disk.fault(index);
        if (fault !== undefined) break;
        batches++;
        head = { position: batch.first + batch.count - 1, digest: batch.digest };
      }
      progress?.(head.position);
      const snapshots = [...this.disk.snapshots.values()]
        .sort((a, b) => b.info.position - a.info.position)
        .map((snapshot) => {
          const reason = this.#snapshotFault(snapshot, true);
          return { position: snapshot.info.position, ok: reason === undefined, ...(reason === undefined ? {} : { reason }) };
        });
      const ok = fault === undefined && snapshots.every((snapshot) => snapshot.ok);
      return { ok, batches, events: head.position, head, ...(fault === undefined ? {} : { fault }), snapshots };
    });
  }

  async close(): Promise<void> {
    this.#ended ??= new StoreError("closed", "the log is closed (memory)", { path: "memory" });
    this.#wake();
    await this.#answered;
    if (this.disk.writer === this) this.disk.writer = undefined;
  }

  /** See `MemoryDisk.crash`. */
  crash(): void {
    this.#ended ??= new StoreError("unknown", "the process of this store was killed (memory); reopen the log to see what is there", { path: "memory" });
    this.#wake();
  }

  #write(expected: number, body: Uint8Array, count: number, at: number): { appended: Appended; until?: Promise<unknown> } {
    const fault = this.disk.takeFault();
    if (fault?.kind === "unavailable") throw new StoreError("unavailable", "the store does not answer (memory); nothing was written, try again");
    if (fault?.kind === "conflict") this.disk.write(fault.body, fault.count, at, this.epoch);
    const actual = this.disk.head().position;
    if (expected !== actual) {
      // What another writer wrote is durable for it, so it can be read on from here.
      if (fault?.kind === "conflict") this.#head = this.disk.head();
      throw new StoreError("conflict", `append expected the log at position ${expected} and it is at ${actual}; read on and decide again`, { actual });
    }
    if (fault?.kind === "full") throw new StoreError("full", "no room to write (memory); nothing was written, free some and try again");
    if (count > 0 && (fault?.kind !== "unknown" || fault.written)) this.disk.write(body, count, at, this.epoch);
    if (fault?.kind === "unknown") {
      this.#ended = new StoreError("unknown", "the write may or may not be there (memory); reopen the log to see what is there");
      throw this.#ended;
    }
    const appended: Appended = { head: this.disk.head(), syncMs: 0, bytes: body.byteLength };
    return fault?.kind === "delay" ? { appended, until: fault.until } : { appended };
  }

  async *#read(from: number, upTo: number): AsyncGenerator<Batch> {
    for (let index = this.disk.indexOf(from); index < this.disk.batches.length; index++) {
      this.#refuseIfEnded();
      const batch = this.disk.batches[index]!;
      if (batch.first > upTo) return;
      const fault = this.disk.fault(index);
      if (fault !== undefined)
        throw new StoreError("corrupt", `the log is damaged at position ${fault.position}: ${fault.reason}; verify it`, { position: fault.position });
      // A copy: whoever gets it may hand its buffer to another thread.
      yield { ...batch, body: batch.body.slice() };
    }
  }

  #snapshotFault({ info, digest, sum, image }: StoredSnapshot, whole: boolean): string | undefined {
    const batch = this.disk.batches[this.disk.indexOf(info.position)];
    if (batch === undefined || info.position > this.#head.position) return `it lies past the head of the log, ${this.#head.position}`;
    if (!sameDigest(batch.digest, digest)) return "the log has another history up to its position";
    return whole && !sameDigest(sumOf(image), sum) ? "its bytes do not match its digest" : undefined;
  }

  #newBatch(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#followers.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#followers.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of [...this.#followers]) wake();
  }

  #refuseIfEnded(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  async #answer<T>(look: () => T): Promise<T> {
    this.#refuseIfEnded();
    return await Promise.resolve(look());
  }
}

function sumOf(image: Uint8Array): Uint8Array {
  return createHash("sha256").update(image).digest();
}
