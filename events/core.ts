/**
 * The core in Node: loads the WebAssembly module and is the only caller of its exports. Everything that
 * decides is behind them; here bytes go in and come out.
 */
import { readFileSync } from "node:fs";
import type { Command, Envelope, Outcome } from "./command.js";
import { readAnswer } from "./codec/answer.js";
import { writeCommand } from "./codec/command.js";
import { FrameReader, framed } from "./codec/frame.js";
import { RecordReader } from "./codec/reader.js";
import { RecordWriter } from "./codec/writer.js";
import { CoreReader } from "./core-reader.js";
import type { RealmReader } from "./realm-api.js";

/** `release` is what runs; `debug` is the same source without optimisation, for tests and tracing. */
export type CoreFlavour = "release" | "debug";

interface CoreExports {
  readonly memory: WebAssembly.Memory;
  start(): void;
  version(): number;
  input(length: number): number;
  submit(length: number): number;
  commit(commands: number): void;
  abort(): void;
  apply(length: number): number;
  query(length: number): void;
  hash(): number;
  snapshotBegin(): void;
  snapshotChunk(): number;
  restoreChunk(length: number): void;
  restored(): number;
  result(): number;
  realm(): number;
  fault(): number;
}

const faults: Readonly<Record<number, string>> = {
  1: "an address was to be taken that is not free",
  2: "an address was to be given back that is free",
  3: "memory ran out in the middle of a change",
  4: "an event does not fit the state it is applied to",
  5: "the host broke the protocol of submit, commit, abort and apply",
  6: "the host gave bytes that are no record",
};

/** The core stopped rather than break a rule. This instance is dead; rebuild the state from the log. */
export class CoreStopped extends Error {
  override readonly name = "CoreStopped";
  constructor(
    readonly fault: number,
    /** Position of the last event the dead instance had seen. */
    readonly position: number,
    cause: unknown,
  ) {
    super(`the core stopped behind event ${position}: ${faults[fault] ?? "an unexpected trap"}; reopen the realm to rebuild its state from the log`, { cause });
  }
}

/** What a run of commands did, tentatively. */
export interface Submitted {
  readonly outcomes: Outcome[];
  /** Records of the events, to be made durable before anything is answered. */
  readonly events: Uint8Array;
  /** How many events. */
  readonly count: number;
}

export interface CommandEntry {
  readonly command: Command;
  readonly envelope: Envelope;
}

/** Where, behind the realm's counters, the position of the event being applied stands. */
const applyingAt = 2056;

const modules = new Map<CoreFlavour, WebAssembly.Module>();

/** Where the compiled core of a flavour lies. */
export function coreFile(flavour: CoreFlavour): URL {
  return new URL(`../core/${flavour}.wasm`, import.meta.url);
}

function moduleOf(flavour: CoreFlavour): WebAssembly.Module {
  let module = modules.get(flavour);
  if (!module) {
    module = new WebAssembly.Module(readFileSync(coreFile(flavour)));
    modules.set(flavour, module);
  }
  return module;
}

export class Core {
  private readonly out = new RecordWriter();
  private readonly reader_ = new RecordReader();
  private frames = new FrameReader();
  private exports: CoreExports;
  private resultAt = 0;
  private realmAt = 0;
  private stopped: CoreStopped | undefined;

  private constructor(private readonly flavour: CoreFlavour) {
    this.exports = this.start();
  }

  /** An instance with an empty realm, in memory of its own. */
  private start(): CoreExports {
    const instance = new WebAssembly.Instance(moduleOf(this.flavour), {});
    const exports = instance.exports as CoreExports;
    exports.start();
    this.resultAt = exports.result();
    this.realmAt = exports.realm();
    return exports;
  }

  /** An empty realm in an instance of its own. */
  static load(flavour: CoreFlavour = "release"): Promise<Core> {
    return Promise.resolve(Core.create(flavour));
  }

  /** As `load`, at once. */
  static create(flavour: CoreFlavour = "release"): Core {
    return new Core(flavour);
  }

  /** Version of the snapshot form this core writes and reads. */
  get version(): number {
    return this.exports.version();
  }

  /** Position of the last event the state has seen, tentative ones included. */
  get position(): number {
    return this.realmWord(0);
  }

  /** Time of that event, milliseconds since 1970. */
  get lastTime(): number {
    return this.realmWord(8);
  }

  /** Bytes of linear memory. */
  memoryBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  private realmWord(offset: number): number {
    const view = new DataView(this.exports.memory.buffer, this.realmAt + offset, 8);
    return view.getUint32(4, true) * 4294967296 + view.getUint32(0, true);
  }

  private call<T>(work: () => T, lastGood = (): number => this.position): T {
    if (this.stopped) throw this.stopped;
    try {
      return work();
    } catch (error) {
      // Half-done writes stay where they are: nobody may use this instance again.
      this.stopped = new CoreStopped(this.exports.fault(), lastGood(), error);
      throw this.stopped;
    }
  }

  private give(bytes: Uint8Array): number {
    const at = this.exports.input(bytes.length);
    if (at === 0) throw new RangeError(`no room for ${bytes.length} bytes of input`);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
    return bytes.length;
  }

  private resultField(index: number): number {
    return new DataView(this.exports.memory.buffer).getUint32(this.resultAt + 4 * index, true);
  }

  private answers(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, this.resultField(0), this.resultField(1));
  }

  /** Decides commands given as records. The answers' bytes are valid until the next call. */
  submitBytes(commands: Uint8Array): { answers: Uint8Array; events: Uint8Array; count: number; commands: number } {
    this.give(commands);
    const decided = this.call(() => this.exports.submit(commands.length));
    const events = new Uint8Array(this.exports.memory.buffer, this.resultField(2), this.resultField(3)).slice();
    return { answers: this.answers(), events, count: this.resultField(4), commands: decided };
  }

  /** Decides commands, one after another, tentatively. */
  submit(commands: readonly CommandEntry[]): Submitted {
    this.out.reset();
    for (const { command, envelope } of commands) writeCommand(this.out, command, envelope);
    const { answers, events, count } = this.submitBytes(this.out.written());
    this.reader_.open(answers);
    const outcomes: Outcome[] = [];
    while (this.reader_.left > 0) outcomes.push(readAnswer(this.reader_));
    return { outcomes, events, count };
  }

  /** The first `commands` tentative commands are durable: forget how to undo them. */
  commit(commands: number): void {
    this.call(() => this.exports.commit(commands));
  }

  /** Undoes every tentative command, exactly. */
  abort(): void {
    this.call(() => this.exports.abort());
  }

  /** Evolves the state by events from the log. Gives how many there were. */
  apply(events: Uint8Array): number {
    this.give(events);
    return this.call(
      () => this.exports.apply(events.length),
      () => this.realmWord(applyingAt) - 1,
    );
  }

  /** Hex digest of the state: equal states have equal digests. */
  hash(): string {
    const at = this.call(() => this.exports.hash());
    return Buffer.from(this.exports.memory.buffer, at, 16).toString("hex");
  }

  /** The state as bytes, in framed chunks. Take them all before the next command. */
  *snapshotChunks(): Generator<Uint8Array> {
    this.call(() => this.exports.snapshotBegin());
    while (this.call(() => this.exports.snapshotChunk()) > 0) yield framed(this.answers());
  }

  /** The whole snapshot. */
  snapshot(): Uint8Array[] {
    return [...this.snapshotChunks()];
  }

  /** Takes over a snapshot's state in place of what was there; incomplete or foreign bytes stop the core. */
  restore(chunks: Iterable<Uint8Array>): void {
    if (this.position !== 0) this.exports = this.start();
    this.frames = new FrameReader();
    for (const chunk of chunks) this.restoreChunk(chunk);
    this.finishRestore();
  }

  /** Takes over the next bytes of a snapshot, in pieces of any size; the realm was empty before the first. */
  restoreChunk(bytes: Uint8Array): void {
    for (const chunk of this.frames.chunks(bytes)) {
      this.give(chunk);
      this.call(() => this.exports.restoreChunk(chunk.length));
    }
  }

  /** Throws if the snapshot's last record has not come. */
  finishRestore(): void {
    if (this.frames.isInside || this.call(() => this.exports.restored()) === 0) throw new RangeError("the snapshot ends before its last record");
  }

  /** Answers a query record; the bytes are valid until the next call. */
  query(bytes: Uint8Array): Uint8Array {
    this.give(bytes);
    this.call(() => this.exports.query(bytes.length));
    return this.answers();
  }

  /** Reads of the state as it is. `now` tells live leases from expired ones. */
  reader(now = this.lastTime): RealmReader {
    return new CoreReader(this, now);
  }
}
