/**
 * The core's raw door with nothing around it: records in, records out, as a Go or Rust host calls it. What
 * the TypeScript around the core costs is the difference between this and `Core`.
 */
import { readFileSync } from "node:fs";
import type { Command, Envelope } from "#events/command.js";
import { RecordWriter, writeCommand } from "#events/codec.js";
import { coreFile } from "#events/core.js";

interface Exports {
  readonly memory: WebAssembly.Memory;
  start(): void;
  input(length: number): number;
  submit(length: number): number;
  commit(commands: number): void;
  abort(): void;
  apply(length: number): number;
  result(): number;
  realm(): number;
}

const module_ = new WebAssembly.Module(readFileSync(coreFile("release")));

/** Where the first byte that the arena has not given out stands, behind the realm's header (`assembly/layout.ts`). */
const ARENA_TOP = 1024;

export class RawCore {
  private readonly exports: Exports;

  constructor() {
    this.exports = new WebAssembly.Instance(module_, {}).exports as unknown as Exports;
    this.exports.start();
  }

  private give(bytes: Uint8Array): number {
    const at = this.exports.input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
    return bytes.length;
  }

  private resultField(index: number): number {
    return new DataView(this.exports.memory.buffer).getUint32(this.exports.result() + 4 * index, true);
  }

  /** Decides a run of command records; gives how many there were. */
  submit(commands: Uint8Array): number {
    return this.exports.submit(this.give(commands));
  }

  commit(commands: number): void {
    this.exports.commit(commands);
  }

  apply(events: Uint8Array): number {
    return this.exports.apply(this.give(events));
  }

  /** Answer records of the last submit, as a copy. */
  answers(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, this.resultField(0), this.resultField(1)).slice();
  }

  /** Event records of the last submit, as a copy. */
  events(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, this.resultField(2), this.resultField(3)).slice();
  }

  eventCount(): number {
    return this.resultField(4);
  }

  /** Bytes the state has taken from linear memory; memory itself grows in larger steps. */
  arenaBytes(): number {
    return new DataView(this.exports.memory.buffer).getUint32(this.exports.realm() + ARENA_TOP, true);
  }

  memoryBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }
}

/** Commands as records, in runs of `run` for one submit each. */
export function encodeRuns(commands: Iterable<Command>, envelope: Envelope, run: number): Uint8Array[] {
  const out = new RecordWriter();
  const runs: Uint8Array[] = [];
  let count = 0;
  for (const command of commands) {
    writeCommand(out, command, envelope);
    if (++count % run !== 0) continue;
    runs.push(out.written().slice());
    out.reset();
  }
  if (out.length > 0) runs.push(out.written().slice());
  return runs;
}
