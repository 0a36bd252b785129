/** What the shared cases are played on: the model, or the core behind the same face. */
import type { Command, Envelope, Outcome } from "#events/command.js";
import type { Event } from "#events/event.js";
import type { CanonicalState } from "./canonical.js";
import { Model } from "./model.js";

export interface Realm {
  /** Decides and makes it durable. */
  submit<C extends Command>(command: C, envelope: Envelope): Outcome<C>;
  log(): readonly Event[];
  state(): CanonicalState;
  /** A new process on the same log, before its first command. */
  restarted(): Realm;
}

export function modelRealm(model: Model = new Model()): Realm {
  return {
    submit: (command, envelope) => model.submit(command, envelope),
    log: () => model.events,
    state: () => model.state(),
    restarted: () => {
      const next = new Model();
      for (const event of model.events) next.apply(event);
      return modelRealm(next);
    },
  };
}
