/** What a script is played on beside the model: the core, or a model that stands in for it. */
import type { Command, Envelope, Outcome } from "#events/command.js";
import type { Event } from "#events/event.js";
import type { CanonicalState } from "../model/canonical.js";
import { Model } from "../model/model.js";

export interface Asked {
  readonly command: Command;
  readonly envelope: Envelope;
}

export interface Subject {
  /** Decides tentatively, all in one call. */
  submit(batch: readonly Asked[]): { readonly outcomes: readonly Outcome[]; readonly events: readonly Event[] };
  /** The first `count` tentative commands are durable. */
  commit(count: number): void;
  /** Undoes every command that is still tentative. */
  abort(): void;
  hash(): string;
  state(): CanonicalState;
  /** A new one that got everything durable so far from the log alone, or from a snapshot. */
  reopened(how: "replay" | "snapshot"): Promise<Subject>;
  /** Whatever it has to give back at the end. */
  done(): void;
}

/** A model behind the core's face: shows that the properties themselves work. */
export class ModelSubject implements Subject {
  private tentative: Model[] = [];

  constructor(private durable: Model = new Model()) {}

  submit(batch: readonly Asked[]): { outcomes: Outcome[]; events: Event[] } {
    const outcomes: Outcome[] = [];
    const before = this.latest().events.length;
    for (const { command, envelope } of batch) {
      const next = this.latest().fork();
      outcomes.push(next.submit(command, envelope));
      this.tentative.push(next);
    }
    return { outcomes, events: this.latest().events.slice(before) };
  }

  commit(count: number): void {
    this.durable = this.tentative[count - 1] ?? this.durable;
    this.tentative = this.tentative.slice(count);
  }

  abort(): void {
    this.tentative = [];
  }

  hash(): string {
    return JSON.stringify(this.latest().inside(), (_, value: unknown) => {
      if (typeof value === "bigint") return String(value);
      if (value instanceof Map) return [...(value as Map<string, unknown>)].sort(([a], [b]) => (a < b ? -1 : 1));
      return value instanceof Set ? [...(value as Set<unknown>)].map(String).sort() : value;
    });
  }

  state(): CanonicalState {
    return this.latest().state();
  }

  reopened(): Promise<Subject> {
    const next = new Model();
    for (const event of this.durable.events) next.apply(event);
    return Promise.resolve(new ModelSubject(next));
  }

  done(): void {
    this.tentative = [];
  }

  private latest(): Model {
    return this.tentative.at(-1) ?? this.durable;
  }
}
