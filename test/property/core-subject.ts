/**
 * The real core behind the face the scripts are played on. Everything goes through its bytes, and on the way
 * the two spellings of an event are checked against each other.
 */
import { encodeEvents, decodeEvents } from "#events/codec.js";
import { Core } from "#events/core.js";
import type { Outcome } from "#events/command.js";
import type { Event } from "#events/event.js";
import type { Page, RealmReader } from "#events/realm-api.js";
import type { CanonicalState } from "../model/canonical.js";
import { Disagreement } from "./compare.js";
import type { Asked, Subject } from "./subject.js";

export type Flavour = "release" | "debug";

/** An empty realm of the core, in an instance of its own. */
export async function openCore(flavour: Flavour = "release"): Promise<Subject> {
  return new CoreSubject(await Core.load(flavour), flavour, []);
}

interface Tentative {
  readonly outcome: Outcome;
  readonly events: readonly Event[];
}

class CoreSubject implements Subject {
  private tentative: Tentative[] = [];
  private log: Event[];

  constructor(private readonly core: Core, private readonly flavour: Flavour, log: readonly Event[]) {
    this.log = [...log];
  }

  submit(batch: readonly Asked[]): { outcomes: readonly Outcome[]; events: readonly Event[] } {
    const { outcomes, events: bytes, count } = this.core.submit(batch);
    const events = decodeEvents(bytes.slice());
    if (events.length !== count) throw new Disagreement(`the core counts ${count} events and wrote ${events.length}`);
    if (!Buffer.from(encodeEvents(events)).equals(Buffer.from(bytes))) throw new Disagreement(`JSON spelling and bytes differ: ${JSON.stringify(events)}`);
    let done = 0;
    for (const outcome of outcomes) {
      const own = outcome.ok ? events.slice(done).filter(({ position }) => position <= outcome.position) : [];
      this.tentative.push({ outcome, events: own });
      done += own.length;
    }
    return { outcomes, events };
  }

  commit(count: number): void {
    this.core.commit(count);
    this.log = [...this.log, ...this.tentative.slice(0, count).flatMap(({ events }) => events)];
    this.tentative = this.tentative.slice(count);
  }

  abort(): void {
    this.core.abort();
    this.tentative = [];
  }

  hash(): string {
    return this.core.hash();
  }

  state(): CanonicalState {
    return readState(this.core.reader());
  }

  async reopened(how: "replay" | "snapshot"): Promise<Subject> {
    const core = await Core.load(this.flavour);
    if (how === "replay") core.apply(encodeEvents(this.log));
    else core.restore(this.core.snapshot().map((chunk) => chunk.slice()));
    return new CoreSubject(core, this.flavour, this.log);
  }

  done(): void {
    this.core.abort();
  }
}

const PAGE = 100;

/** Everything a reader shows, page by page. */
export function readState(reader: RealmReader): CanonicalState {
  return {
    position: reader.position,
    pools: all((after) => reader.pools(after, PAGE)),
    endpoints: all((after) => reader.endpoints(after, PAGE)),
    leases: all((after) => reader.leases({}, after, PAGE)),
  };
}

function all<T>(page: (after: string | undefined) => Page<T>): readonly T[] {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const { items: more, next } = page(after);
    items.push(...more);
    after = next;
  } while (after !== undefined);
  return items;
}
