/** The core as a realm for the shared cases and the rules: each command is its own durable batch. */
import type { Command, Envelope, Outcome } from "#events/command.js";
import { decodeEvents, encodeEvents } from "#events/codec.js";
import { Core } from "#events/core.js";
import type { Event } from "#events/event.js";
import type { Realm } from "../model/realm.js";
import { readState } from "./core-subject.js";

/** Cores for one test, loaded beforehand because loading is asynchronous and the stories are not. */
export async function coreRealms(count: number): Promise<() => Realm> {
  const cores = await Promise.all(Array.from({ length: count }, () => Core.load("release")));
  const next = (log: readonly Event[]): Realm => {
    const core = cores.pop();
    if (core === undefined) throw new Error(`this story needs more than ${count} cores`);
    if (log.length > 0) core.apply(encodeEvents(log));
    return coreRealm(core, log, next);
  };
  return () => next([]);
}

function coreRealm(core: Core, before: readonly Event[], next: (log: readonly Event[]) => Realm): Realm {
  const log = [...before];
  return {
    submit: <C extends Command>(command: C, envelope: Envelope): Outcome<C> => {
      const { outcomes, events } = core.submit([{ command, envelope }]);
      log.push(...decodeEvents(events.slice()));
      core.commit(1);
      return outcomes[0] as Outcome<C>;
    },
    log: () => log,
    state: () => readState(core.reader()),
    restarted: () => next(log),
  };
}
