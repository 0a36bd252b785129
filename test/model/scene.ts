/** A realm, a clock and a few verbs: enough to tell a short story and to read how it ended. */
import type { Command, ContextPolicy, DefinePool, LeaseOutcome, Outcome, RequestLease } from "#events/command.js";
import type { EventType } from "#events/event.js";
import { parsePrefix, pointOf, textOf } from "./address.js";
import { EMPTY_CONTEXT, type IpContext, composed, itemsOf } from "./context.js";
import type { Realm } from "./realm.js";

export interface PoolOptions {
  readonly mode?: "pair" | "single";
  readonly reserved?: readonly string[];
  readonly lease?: number;
  readonly grace?: number;
  readonly cooldown?: number;
  readonly draining?: boolean;
}

export interface AskOptions {
  readonly endpoint?: string;
  readonly connection?: string;
  readonly reselect?: boolean;
  readonly knownOnly?: boolean;
  readonly excluded?: readonly string[];
  readonly context?: Partial<IpContext>;
}

/** An answer in words: `granted dst src`, one line per lease; or the code of the refusal. */
export type Told = string;

const START = Date.UTC(2026, 0, 1);

export class Scene {
  private seconds = 0;
  private answered: IpContext = EMPTY_CONTEXT;

  constructor(private realm: Realm) {
    this.submit({ kind: "open-realm", graceSeconds: 0 });
  }

  /** Sets the clock, in seconds since the beginning. */
  at(seconds: number): this {
    this.seconds = seconds;
    return this;
  }

  pool(pool: string, prefixes: readonly string[], options: PoolOptions = {}): Told {
    const { mode = "pair", reserved = [], lease = 600, grace = 0, cooldown = 0, draining = false } = options;
    const command: DefinePool = {
      kind: "define-pool",
      pool,
      mode,
      prefixes: prefixes.map(parsePrefix),
      reserved: reserved.map(parsePrefix),
      leaseSeconds: lease,
      graceSeconds: grace,
      cooldownSeconds: cooldown,
      draining,
    };
    return told(this.submit(command));
  }

  endpoint(endpoint: string, chain: readonly (readonly string[])[], contextPolicy: ContextPolicy = "replace"): Told {
    return told(this.submit({ kind: "define-endpoint", endpoint, chain, contextPolicy }));
  }

  ask(client: string, options: AskOptions = {}): Told {
    const context = { ...EMPTY_CONTEXT, ...options.context };
    const outcome = this.submit({
      kind: "request",
      endpoint: options.endpoint ?? "nse",
      client: identity(client),
      connection: options.connection ?? client,
      reselect: options.reselect ?? false,
      knownOnly: options.knownOnly ?? false,
      excluded: (options.excluded ?? []).map(parsePrefix),
      items: itemsOf(context),
    });
    if (outcome.ok) this.answered = composed(context, outcome.answer);
    return toldAnswer(outcome);
  }

  /** The context the last answer came with. */
  context(): IpContext {
    return this.answered;
  }

  close(client: string, connection = client): Told {
    return told(this.submit({ kind: "close", endpoint: "nse", client: identity(client), connection }));
  }

  cancel(client: string, connection = client): Told {
    return told(this.submit({ kind: "cancel", endpoint: "nse", client: identity(client), connection }));
  }

  expire(limit = 1000): Told {
    return told(this.submit({ kind: "expire", limit }));
  }

  restart(graceSeconds = 60): Told {
    this.realm = this.realm.restarted();
    return told(this.submit({ kind: "open-realm", graceSeconds }));
  }

  submit<C extends Command>(command: C): Outcome<C> {
    return this.realm.submit(command, { now: START + this.seconds * 1000, actor: "scene", correlation: "" });
  }

  /** The last event of the type. */
  last(type: EventType): { readonly causation: number; readonly data: object } | undefined {
    return this.realm.log().findLast((event) => event.type === type);
  }

  /** How many addresses of the pool are free. */
  free(pool: string): string | undefined {
    return this.realm.state().pools.find((one) => one.pool === pool)?.usage.free;
  }
}

function identity(client: string): RequestLease["client"] {
  return { name: client, id: `${client}-0` };
}

function told(outcome: Outcome): Told {
  return outcome.ok ? "ok" : outcome.refusal.code;
}

function toldAnswer(outcome: Outcome<RequestLease>): Told {
  if (!outcome.ok) return outcome.refusal.code;
  const line = (how: LeaseOutcome, dst: string, src: string): string => `${how} ${dst} ${src}`;
  return outcome.answer.leases.map((lease) => line(lease.outcome, textOf(pointOf(lease.dst)), textOf(pointOf(lease.src)))).join("\n");
}
