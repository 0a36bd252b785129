/**
 * One command being decided: a copy of the state to decide on, and the events so far. Each event is folded
 * into the copy as it is written, so that the next step sees it; a refusal throws both away.
 */
import type { Envelope } from "#events/command.js";
import type { Event, EventData, EventType } from "#events/event.js";
import { fold } from "./fold.js";
import { timeText } from "./spelling.js";
import { type State, copyOf } from "./state.js";

const EVENT_VERSION = 1;

export class Decision {
  readonly state: State;
  readonly events: Event[] = [];
  /** ms since 1970. A clock that went back does not take the log back with it. */
  readonly now: number;

  constructor(state: State, private readonly envelope: Envelope) {
    this.state = copyOf(state);
    this.now = Math.max(envelope.now, state.lastTime);
  }

  /** The position the next event will have. */
  get next(): number {
    return this.state.position + 1;
  }

  emit<T extends EventType>(type: T, data: EventData[T], causation = 0): void {
    const { actor, correlation } = this.envelope;
    const event = { position: this.next, time: timeText(this.now), version: EVENT_VERSION, actor, correlation, causation, type, data } as Event;
    fold(this.state, event);
    this.events.push(event);
  }
}
