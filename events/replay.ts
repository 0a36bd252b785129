/**
 * State from the log: the newest usable snapshot, then the events behind it. The same way serves opening,
 * looking at an earlier moment and writing a snapshot; the live core is never touched.
 */
import type { CoreFlavour } from "./core.js";
import { Core, CoreStopped } from "./core.js";
import type { Batch, EventStore, SnapshotInfo } from "./store.js";
import { StoreError } from "./store.js";

/** Where a store is read from: the live one or one opened for reading only. */
export type ReadableStore = Pick<EventStore, "head" | "read" | "snapshots" | "readSnapshot">;

export interface RebuildOptions {
  readonly flavour?: CoreFlavour;
  /** Hears the position reached, after each batch. */
  readonly progress?: (position: number) => void;
  /** Leave snapshots aside: for proving that they say what the log says. */
  readonly fromStart?: boolean;
  /** Hears of snapshots that could not be used, and why. */
  readonly skipped?: (snapshot: SnapshotInfo, reason: string) => void;
}

const positionAt = 8;
const timeAt = 16;

/** Position and time of the record that starts at `at`, and where it ends. */
export function recordAt(body: Uint8Array, at: number): { position: number; time: number; end: number } {
  const view = new DataView(body.buffer, body.byteOffset + at);
  const u64 = (offset: number): number => view.getUint32(offset + 4, true) * 4294967296 + view.getUint32(offset, true);
  return { position: u64(positionAt), time: u64(timeAt), end: at + view.getUint32(0, true) };
}

/** The part of a batch's records between two positions, both included. */
export function recordsBetween(batch: Batch, from: number, to: number): Uint8Array {
  if (from <= batch.first && to >= batch.first + batch.count - 1) return batch.body;
  let start = 0;
  let at = 0;
  while (at < batch.body.length) {
    const { position, end } = recordAt(batch.body, at);
    if (position < from) start = end;
    if (position > to) break;
    at = end;
  }
  return batch.body.subarray(start, Math.max(start, at));
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that has gone on for this long lets the event loop have its turn, milliseconds. */
const sliceMs = 5;

/** Counts the time since the event loop had its last turn. */
class Slices {
  private since = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.since < sliceMs) return;
    await turn();
    this.since = performance.now();
  }
}

async function fromSnapshot(store: ReadableStore, target: number, options: RebuildOptions, slices: Slices): Promise<Core | undefined> {
  const usable = (await store.snapshots()).filter((snapshot) => snapshot.position <= target).sort((a, b) => b.position - a.position);
  for (const snapshot of usable) {
    const core = Core.create(options.flavour);
    try {
      if (snapshot.coreVersion !== core.version) {
        options.skipped?.(snapshot, `written by version ${snapshot.coreVersion} of the core, this is ${core.version}`);
        continue;
      }
      for await (const chunk of store.readSnapshot(snapshot.position)) {
        core.restoreChunk(chunk);
        await slices.pause();
      }
      core.finishRestore();
      if (core.hash() === snapshot.stateHash) return core;
      options.skipped?.(snapshot, "its state does not have the hash it was written with");
    } catch (error) {
      // A bad snapshot only costs time: the log has everything.
      if (!(error instanceof StoreError || error instanceof CoreStopped || error instanceof RangeError)) throw error;
      options.skipped?.(snapshot, error.message);
    }
  }
  return undefined;
}

/** A core with the state right behind event `target`. Throws `StoreError` `corrupt` where the log is not whole. */
export async function rebuild(store: ReadableStore, target: number, options: RebuildOptions = {}): Promise<Core> {
  const slices = new Slices();
  const core = (options.fromStart ? undefined : await fromSnapshot(store, target, options, slices)) ?? Core.create(options.flavour);
  options.progress?.(core.position);
  if (core.position < target) {
    for await (const batch of store.read(core.position + 1)) {
      const body = recordsBetween(batch, core.position + 1, target);
      try {
        if (body.length > 0) core.apply(body);
      } catch (error) {
        if (!(error instanceof CoreStopped)) throw error;
        throw new StoreError("corrupt", `event ${error.position + 1} does not follow from the events before it`, { position: error.position + 1 }, { cause: error });
      }
      options.progress?.(core.position);
      await slices.pause();
      if (core.position >= target) break;
    }
  }
  if (core.position !== target) throw new StoreError("corrupt", `the log ends at event ${core.position}, before ${target}`, { position: core.position + 1 });
  return core;
}

/** Position of the last event at or before a time (ms); 0 if there is none. */
export async function positionOfTime(store: ReadableStore & Pick<EventStore, "positionAt">, time: number): Promise<number> {
  // The store knows when a batch was written, which is never before the time of its events: the moment
  // asked for may lie inside a batch written later.
  let position = await store.positionAt(time);
  if (position >= store.head().position) return position;
  for await (const batch of store.read(position + 1)) {
    for (let at = 0; at < batch.body.length; ) {
      const record = recordAt(batch.body, at);
      if (record.time > time) return position;
      position = Math.max(position, record.position);
      at = record.end;
    }
  }
  return position;
}
