/**
 * The realm: commands wait together, are decided together, made durable together and answered together.
 *
 *   submit ─> waiting ─> core.submit ─> store.append ─> core.commit ─> answers
 *
 * While batches are being written the next ones are decided on top of them, tentatively; the store writes what lies before
 * it with one fsync. Nothing is answered before it is durable, and nothing that was decided on top of a batch
 * outlives that batch's failure.
 */
import type { Command, Envelope, Outcome } from "./command.js";
import type { CoreFlavour } from "./core.js";
import type { Core } from "./core.js";
import { CoreStopped } from "./core.js";
import { readAnswer } from "./codec/answer.js";
import { writeCommand } from "./codec/command.js";
import { decodeEvents } from "./codec/event.js";
import { RecordReader } from "./codec/reader.js";
import { RecordWriter } from "./codec/writer.js";
import type { Event, EventType } from "./event.js";
import { PastStates } from "./past-states.js";
import type { Moment, RealmApi, RealmMetrics, RealmReader } from "./realm-api.js";
import { positionOfTime, rebuild, recordsBetween } from "./replay.js";
import type { EventStore, Head, Room, SnapshotInfo, VerifyReport } from "./store.js";
import { StoreError } from "./store.js";
import { isAbout } from "./subject.js";

export interface RealmOptions {
  readonly name: string;
  readonly store: EventStore;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Grace for leases that ran out while the realm was down. */
  readonly reopenGraceSeconds?: number;
  readonly flavour?: CoreFlavour;
  /** Hears the position that replay has reached. */
  readonly progress?: (position: number, head: number) => void;
  /** Hears of snapshots that could not be used. */
  readonly skipped?: (snapshot: SnapshotInfo, reason: string) => void;
  readonly metrics?: RealmMetrics;
}

interface Waiting {
  readonly command: Command;
  readonly envelope: Envelope;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/** Commands whose records are on their way to the log and that are not answered yet. */
interface Batch {
  readonly taken: readonly Waiting[];
  readonly outcomes: readonly Outcome[];
  /** Events of it that the log is to take. */
  readonly count: number;
  settled: boolean;
  failure: Error | undefined;
}

/** Commands decided in one go: few enough that the store begins to write while the rest is decided, and that nobody else waits for the event loop. */
const batchMax = 128;
/** Batches on their way to the log. More only lengthens the wait of the newest. */
const batchesMax = 8;
/** Events looked through for one page of a filtered list. */
const scanMax = 200_000;
const defaultGraceSeconds = 600;

export class Realm implements RealmApi {
  readonly name: string;
  private readonly store: EventStore;
  private readonly clock: () => number;
  private readonly metrics: RealmMetrics;
  private readonly past: PastStates;
  private readonly out = new RecordWriter();
  private readonly input = new RecordReader();
  private waiting: Waiting[] = [];
  private looking: (() => void)[] = [];
  /** Oldest first: only the oldest can be answered. */
  private batches: Batch[] = [];
  private recovering = false;
  private scheduled = false;
  private turnScheduled = false;
  private idle: (() => void)[] = [];
  private state_: RealmApi["state"] = "ready";
  private failure: Error | undefined;

  private constructor(
    options: RealmOptions,
    private readonly core: Core,
  ) {
    this.name = options.name;
    this.store = options.store;
    this.clock = options.clock ?? Date.now;
    this.metrics = options.metrics ?? {};
    this.past = new PastStates(options.store, options.flavour);
  }

  /**
   * Rebuilds the state from the log and notes the opening in it. Rejects with `StoreError` `corrupt` when
   * the log is not what was written; the store is the caller's to close then.
   */
  static async open(options: RealmOptions): Promise<Realm> {
    const head = options.store.head().position;
    const core = await rebuild(options.store, head, {
      ...(options.flavour && { flavour: options.flavour }),
      ...(options.skipped && { skipped: options.skipped }),
      progress: (position) => options.progress?.(position, head),
    });
    const realm = new Realm(options, core);
    const outcome = await realm.submit(
      { kind: "open-realm", graceSeconds: options.reopenGraceSeconds ?? defaultGraceSeconds },
      { now: realm.clock(), actor: "system", correlation: "open" },
    );
    if (!outcome.ok) throw new Error(`the realm cannot be opened: ${outcome.refusal.code}`);
    return realm;
  }

  get state(): RealmApi["state"] {
    return this.state_;
  }

  submit<C extends Command>(command: C, envelope: Envelope): Promise<Outcome<C>> {
    if (this.state_ !== "ready") return Promise.reject(this.unavailable());
    return new Promise((resolve, reject) => {
      this.waiting.push({ command, envelope, resolve: resolve as (outcome: Outcome) => void, reject });
      this.schedule();
    });
  }

  /** Whoever submits in the same turn joins the batch. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.pump();
    });
  }

  /**
   * Goes on in the next turn of the event loop, so that whoever else needs it comes first: a long queue is not decided
   * in one go, and a log that answers while the next batch is decided does not keep everybody else out.
   */
  private scheduleTurn(): void {
    if (this.turnScheduled) return;
    this.turnScheduled = true;
    setImmediate(() => {
      this.turnScheduled = false;
      this.settle();
      this.pump();
    });
  }

  private unavailable(): Error {
    return this.failure ?? new StoreError("closed", `realm ${this.name} is closed`);
  }

  /** Decides a batch of what waits, if there is room on the way to the log, and leaves the event loop to others before the next. */
  private pump(): void {
    if (!this.recovering && this.state_ === "ready") {
      if (this.batches.length === 0) this.letLook();
      // Readers see durable state only: they wait for the batches under way, and the next batch waits for them.
      else if (this.looking.length > 0 || this.batches.some(({ failure }) => failure !== undefined)) return;
      if (this.waiting.length > 0 && this.batches.length < batchesMax) {
        const next = this.waiting.length <= batchMax ? this.waiting : this.waiting.slice(0, batchMax);
        this.waiting = this.waiting.length <= batchMax ? [] : this.waiting.slice(batchMax);
        this.decide(next);
        if (this.waiting.length > 0) this.scheduleTurn();
      }
    }
    if (this.isIdle()) this.rest();
  }

  private isIdle(): boolean {
    return !this.recovering && this.batches.length === 0 && (this.waiting.length === 0 || this.state_ !== "ready");
  }

  private rest(): void {
    this.letLook();
    const idle = this.idle;
    this.idle = [];
    for (const wake of idle) wake();
  }

  /** Writes the commands' records; what cannot be written is refused here, before it can spoil the batch. */
  private encode(batch: readonly Waiting[]): Waiting[] {
    this.out.reset();
    const taken: Waiting[] = [];
    for (const entry of batch) {
      const before = this.out.length;
      try {
        writeCommand(this.out, entry.command, entry.envelope);
        taken.push(entry);
      } catch (error) {
        this.out.truncate(before);
        entry.reject(error as Error);
      }
    }
    return taken;
  }

  private decide(commands: readonly Waiting[]): void {
    const taken = this.encode(commands);
    if (taken.length === 0) return;
    const before = this.core.position;
    const outcomes: Outcome[] = [];
    let events: Uint8Array;
    let count: number;
    try {
      const submitted = this.core.submitBytes(this.out.written());
      events = submitted.events;
      count = submitted.count;
      this.input.open(submitted.answers);
      while (this.input.left > 0) outcomes.push(readAnswer(this.input));
    } catch (error) {
      this.batches.push({ taken, outcomes, count: 0, settled: true, failure: error as Error });
      this.settle();
      return;
    }
    const batch: Batch = { taken, outcomes, count, settled: count === 0, failure: undefined };
    this.batches.push(batch);
    if (count === 0) {
      this.settle();
      return;
    }
    this.store.append(before, events, count, Math.max(this.clock(), this.core.lastTime)).then(
      ({ syncMs }) => {
        this.metrics.onCommit?.({ commands: taken.length, events: count, bytes: events.length, syncMs });
        batch.settled = true;
        this.scheduleTurn();
      },
      (error: unknown) => {
        batch.settled = true;
        batch.failure = error as Error;
        this.scheduleTurn();
      },
    );
  }

  /** Answers the batches that are durable, oldest first; after a failure waits until every batch is back. */
  private settle(): void {
    if (this.recovering) return;
    while (this.batches[0]?.settled === true && this.batches[0].failure === undefined) {
      const { taken, outcomes } = this.batches.shift()!;
      try {
        this.core.commit(taken.length);
      } catch (error) {
        // The core stopped at something later. This is in the log all the same, so it is answered.
        this.fail(error as Error, []);
      }
      for (let i = 0; i < taken.length; i++) taken[i]!.resolve(outcomes[i]!);
    }
    if (this.batches[0]?.settled === true && this.batches.every(({ settled }) => settled)) {
      const [failed, ...later] = this.batches as [Batch, ...Batch[]];
      this.batches = [];
      this.recovering = true;
      void this.recover(failed, later).finally(() => {
        this.recovering = false;
        this.pump();
      });
    } else this.schedule();
  }

  /** The oldest batch is not in the log, as far as this realm can know; what was decided on top of it has not happened either. */
  private async recover({ taken, failure }: Batch, later: readonly Batch[]): Promise<void> {
    const onTop = later.flatMap((batch) => batch.taken);
    const error = failure!;
    const isRefused = error instanceof StoreError && (error.code === "conflict" || error.code === "full" || error.code === "unavailable");
    // What was appended on top of it must have been refused by its position; if not, the log holds what nobody decided.
    if (!isRefused || later.some((batch) => batch.count > 0 && batch.failure === undefined)) {
      this.fail(error, [...taken, ...onTop]);
      return;
    }
    try {
      this.core.abort();
      if (error.code === "conflict") {
        await this.catchUp();
        this.waiting = [...taken, ...onTop, ...this.waiting];
        return;
      }
    } catch (failure) {
      this.fail(failure as Error, [...taken, ...onTop]);
      return;
    }
    for (const entry of taken) entry.reject(error);
    this.waiting = [...onTop, ...this.waiting];
  }

  /** Applies what another writer appended. */
  private async catchUp(): Promise<void> {
    const from = this.core.position + 1;
    for await (const batch of this.store.read(from)) {
      this.core.apply(recordsBetween(batch, this.core.position + 1, Number.MAX_SAFE_INTEGER));
    }
  }

  /** Nobody knows what is in the log, or the core has stopped: no answer from here on. */
  private fail(error: Error, taken: readonly Waiting[]): void {
    this.state_ = "failed";
    this.failure ??= error instanceof StoreError || error instanceof CoreStopped ? error : new StoreError("unavailable", error.message, {}, { cause: error });
    for (const entry of [...taken, ...this.waiting]) entry.reject(this.failure);
    this.waiting = [];
  }

  read<T>(look: (reader: RealmReader) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (): void => {
        try {
          if (this.failure) throw this.failure;
          resolve(look(this.core.reader(this.clock())));
        } catch (error) {
          reject(error as Error);
        }
      };
      if (this.batches.length > 0 || this.recovering) this.looking.push(run);
      else run();
    });
  }

  /** Lets those look who wait for a state without tentative changes. */
  private letLook(): void {
    const looking = this.looking;
    this.looking = [];
    for (const run of looking) run();
  }

  async at(moment: Moment): Promise<{ reader: RealmReader; release(): void }> {
    const head = this.store.head().position;
    const position = "position" in moment ? moment.position : await positionOfTime(this.store, moment.time);
    if (position > head) throw new RangeError(`position ${position} is behind the head, which is ${head}`);
    const { core, release } = await this.past.take(position);
    return { reader: core.reader("time" in moment ? moment.time : core.lastTime), release };
  }

  async events(options: { after: number; limit: number; types?: readonly EventType[]; subject?: string }): Promise<{ events: readonly Event[]; head: number; scanned: number }> {
    const head = this.store.head().position;
    const found: Event[] = [];
    let scanned = options.after;
    if (scanned >= head) return { events: found, head, scanned };
    for await (const batch of this.store.read(scanned + 1)) {
      for (const event of decodeEvents(recordsBetween(batch, scanned + 1, head))) {
        scanned = event.position;
        if (options.types && !options.types.includes(event.type)) continue;
        if (options.subject !== undefined && !isAbout(event, options.subject)) continue;
        found.push(event);
        if (found.length === options.limit) return { events: found, head, scanned };
      }
      if (scanned - options.after >= scanMax) break;
    }
    return { events: found, head, scanned };
  }

  async *watch(after: number, signal: AbortSignal): AsyncIterable<readonly Event[]> {
    for await (const batch of this.store.follow(after + 1, signal)) {
      const events = decodeEvents(recordsBetween(batch, after + 1, Number.MAX_SAFE_INTEGER));
      if (events.length > 0) yield events;
    }
  }

  head(): Head {
    return this.store.head();
  }

  room(): Room {
    return this.store.room();
  }

  async log(): ReturnType<RealmApi["log"]> {
    const head = this.store.head();
    return {
      realm: this.name,
      logId: this.store.logId,
      store: this.store.kind,
      head: { position: head.position, digest: Buffer.from(head.digest).toString("hex") },
      epoch: this.store.epoch,
      oldest: head.position === 0 ? 0 : 1,
      snapshots: await this.store.snapshots(),
    };
  }

  verify(progress?: (position: number) => void): Promise<VerifyReport> {
    return this.store.verify(progress);
  }

  /**
   * Writes a snapshot of the state at the head. A replica rebuilt from the log is written, not the live
   * core: nothing waits for it, and every snapshot proves that replay gives the same state.
   */
  async snapshot(): Promise<SnapshotInfo> {
    const position = this.store.head().position;
    const { core, release } = await this.past.take(position);
    try {
      return await this.store.writeSnapshot({ position, stateHash: core.hash(), coreVersion: core.version }, core.snapshotChunks());
    } finally {
      release();
    }
  }

  /** Answers what waits, then closes the log. */
  async close(): Promise<void> {
    if (this.state_ === "closed") return;
    await Promise.resolve();
    if (!this.isIdle()) await new Promise<void>((resolve) => this.idle.push(resolve));
    if (this.state_ === "ready") {
      this.state_ = "closed";
      for (const entry of this.waiting) entry.reject(this.unavailable());
      this.waiting = [];
    }
    await this.store.close();
  }
}
