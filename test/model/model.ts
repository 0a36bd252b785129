/**
 * The oracle: the rules of the core as plainly as they can be written, slow and without tricks. Property
 * tests ask it and the core the same things and want the same answers.
 */
import type { AnswerOf, Command, Envelope, Outcome } from "#events/command.js";
import type { Event } from "#events/event.js";
import { type CanonicalState, canonicalState } from "./canonical.js";
import { cancel, close, releaseLease } from "./close.js";
import { Decision } from "./decision.js";
import { defineEndpoint, retireEndpoint } from "./endpoint.js";
import { fold } from "./fold.js";
import { definePool, retirePool } from "./pool.js";
import { Refuse, checkBytes } from "./refusal.js";
import { request } from "./request.js";
import { type State, copyOf, emptyState } from "./state.js";
import { expire, openRealm } from "./tick.js";

export class Model {
  /** The whole log so far. */
  readonly events: Event[] = [];
  private current: State = emptyState();

  /** Decides and, unless refused, takes the events into the log and the state. */
  submit<C extends Command>(command: C, envelope: Envelope): Outcome<C> {
    const decision = new Decision(this.current, envelope);
    try {
      checkBytes(envelope.actor, 0, 255);
      checkBytes(envelope.correlation, 0, 255);
      const answer = decide(decision, command) as AnswerOf[C["kind"]];
      this.current = decision.state;
      this.events.push(...decision.events);
      return { ok: true, position: this.current.position, answer };
    } catch (thrown) {
      if (thrown instanceof Refuse) return { ok: false, refusal: thrown.refusal };
      throw thrown;
    }
  }

  /** Evolves by an event somebody else decided. */
  apply(event: Event): void {
    this.current = copyOf(this.current);
    fold(this.current, event);
    this.events.push(event);
  }

  /** A second model that goes on from here on its own. */
  fork(): Model {
    const fork = new Model();
    fork.events.push(...this.events);
    fork.current = copyOf(this.current);
    return fork;
  }

  state(): CanonicalState {
    return canonicalState(this.current);
  }

  /** What is inside, for invariants that no view shows. */
  inside(): Readonly<State> {
    return this.current;
  }
}

function decide(decision: Decision, command: Command): unknown {
  switch (command.kind) {
    case "define-pool":
      return definePool(decision, command);
    case "retire-pool":
      return retirePool(decision, command);
    case "define-endpoint":
      return defineEndpoint(decision, command);
    case "retire-endpoint":
      return retireEndpoint(decision, command);
    case "request":
      return request(decision, command);
    case "close":
      return close(decision, command);
    case "cancel":
      return cancel(decision, command);
    case "release-lease":
      return releaseLease(decision, command);
    case "expire":
      return expire(decision, command);
    case "open-realm":
      return openRealm(decision, command);
  }
}
