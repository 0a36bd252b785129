/** A realm's history as bytes: what bad bytes are made from, and what cores are rebuilt from. */
import { writeCommand } from "#events/codec/command.js";
import { RecordWriter } from "#events/codec/writer.js";
import type { CommandEntry, CoreFlavour } from "#events/core.js";
import { Core } from "#events/core.js";
import { script } from "../golden/script.js";

/** The golden script: every kind of command and every type of event is in it. */
export const entries: readonly CommandEntry[] = script.map(({ now, command }) => ({ command, envelope: { now, actor: "test", correlation: "r" } }));

/** The record of one command. */
export function commandBytes({ command, envelope }: CommandEntry): Uint8Array {
  const out = new RecordWriter();
  writeCommand(out, command, envelope);
  return out.written().slice();
}

export interface Moment {
  /** Event records of every command up to here, one element for each that wrote any. */
  readonly log: readonly Uint8Array[];
  readonly hash: string;
}

/** The history command by command: `moments[n]` is what there is before command n. */
export function play(): { moments: readonly Moment[]; commands: readonly Uint8Array[] } {
  const core = Core.create();
  const moments: Moment[] = [{ log: [], hash: core.hash() }];
  for (const entry of entries) {
    const { events } = core.submit([entry]);
    core.commit(1);
    moments.push({ log: [...moments.at(-1)!.log, ...(events.length > 0 ? [events] : [])], hash: core.hash() });
  }
  return { moments, commands: entries.map(commandBytes) };
}

/** A core that knows nothing but the log. */
export function rebuilt(log: readonly Uint8Array[], flavour: CoreFlavour): Core {
  const core = Core.create(flavour);
  for (const events of log) core.apply(events);
  return core;
}
