/** Long logs, written as fast as they can be: grants for every lease, then renewals. */
import type { Command } from "#events/command.js";
import { RecordWriter, writeCommand } from "#events/codec.js";
import { Core } from "#events/core.js";
import type { EventStore } from "#events/store.js";
import { seeded } from "../harness/random.js";
import { defineEndpoint, definePool, request, START } from "../workload.js";
import { ENVELOPE } from "./temporary.js";

export interface LogShape {
  readonly events: number;
  readonly leases: number;
  /** `turns`: clients renew one after the other, round after round, as their timers do; `random`: anyone at any time. */
  readonly order: "turns" | "random";
  /** Events in one durable append. */
  readonly batch: number;
  /** Snapshots written on the way, evenly spaced, as the service writes them. */
  readonly snapshots?: number;
}

/** Writes the log into an empty store; gives the core at its end. */
export async function writeLog(store: EventStore, { events, leases, order, batch, snapshots = 0 }: LogShape): Promise<Core> {
  const core = Core.create();
  const out = new RecordWriter();
  const random = seeded(events);
  let now = START;
  const append = async (commands: Iterable<Command>): Promise<void> => {
    out.reset();
    let count = 0;
    for (const command of commands) {
      writeCommand(out, command, { ...ENVELOPE, now });
      count++;
    }
    const before = core.position;
    const decided = core.submitBytes(out.written());
    if (decided.count !== count) throw new Error(`${count} commands made ${decided.count} events`);
    await store.append(before, decided.events, decided.count, now);
    core.commit(count);
  };
  await append([{ kind: "open-realm", graceSeconds: 0 }, definePool({ leaseSeconds: 31_536_000 }), defineEndpoint()]);
  const every = snapshots === 0 ? Infinity : Math.ceil(events / snapshots);
  let next = every;
  let granted = 0;
  let renewed = 0;
  while (core.position < events) {
    const count = Math.min(batch, events - core.position);
    now += 1;
    await append(commandsOf(count));
    if (core.position < next) continue;
    next += every;
    await store.writeSnapshot({ position: core.position, stateHash: core.hash(), coreVersion: core.version }, core.snapshotChunks());
  }
  return core;

  function renewing(): number {
    return order === "random" ? Math.floor(random() * leases) : renewed++ % leases;
  }

  function* commandsOf(count: number): Generator<Command> {
    for (let i = 0; i < count; i++) yield request(granted < leases ? granted++ : renewing());
  }
}
