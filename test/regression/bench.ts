import { formatAddress, parseAddress, parsePrefix } from "#events/address.js";
import type { Command, ContextItem, ContextPolicy, Outcome, RequestAnswer, RequestLease } from "#events/command.js";
import { Core } from "#events/core.js";
import { decodeEvents } from "#events/codec.js";
import type { Event } from "#events/event.js";

/** A core with its log, for regressions: commands one by one, each durable at once, and restarts. */
export class Bench {
  private core = Core.create();
  private log: Uint8Array[] = [];
  now = Date.UTC(2026, 0, 1);

  do(command: Command): Outcome {
    const { outcomes, events } = this.core.submit([{ command, envelope: { now: this.now, actor: "test", correlation: "" } }]);
    this.core.commit(1);
    this.log.push(events);
    return outcomes[0]!;
  }

  pool(name: string, prefixes: readonly string[], more: Partial<Extract<Command, { kind: "define-pool" }>> = {}): Outcome {
    return this.do({
      kind: "define-pool",
      pool: name,
      mode: "pair",
      prefixes: prefixes.map((text) => parsePrefix(text)!),
      reserved: [],
      leaseSeconds: 600,
      graceSeconds: 0,
      cooldownSeconds: 0,
      draining: false,
      ...more,
    });
  }

  endpoint(name: string, chain: readonly (readonly string[])[], contextPolicy: ContextPolicy = "replace"): Outcome {
    return this.do({ kind: "define-endpoint", endpoint: name, chain, contextPolicy });
  }

  request(client: string, endpoint: string, more: Partial<RequestLease> = {}): Outcome {
    return this.do({
      kind: "request",
      endpoint,
      client: { name: client, id: `${client}-0` },
      connection: `c-${client}`,
      reselect: false,
      knownOnly: false,
      excluded: [],
      items: [],
      ...more,
    });
  }

  /** The addresses a request is answered with, `dst src` each; the code where it is refused. */
  ask(client: string, endpoint: string, more: Partial<RequestLease> = {}): string {
    const outcome = this.request(client, endpoint, more);
    if (!outcome.ok) return outcome.refusal.code;
    return (outcome.answer as RequestAnswer).leases.map(({ dst, src }) => `${formatAddress(dst)} ${formatAddress(src)}`).join(", ");
  }

  end(kind: "close" | "cancel", client: string, endpoint: string, connection = `c-${client}`): Outcome {
    return this.do({ kind, endpoint, client: { name: client, id: `${client}-0` }, connection });
  }

  wait(seconds: number): this {
    this.now += seconds * 1000;
    return this;
  }

  /** The process dies; a new one replays the log and opens the realm. */
  restart(graceSeconds = 600): this {
    this.core = Core.create();
    for (const events of this.log) this.core.apply(events);
    this.do({ kind: "open-realm", graceSeconds });
    return this;
  }

  free(pool: string): string {
    return this.core.reader().pool(pool)!.usage.free;
  }

  hash(): string {
    return this.core.hash();
  }

  bytes(): number {
    return this.core.memoryBytes();
  }

  events(): Event[] {
    return this.log.flatMap((events) => decodeEvents(events));
  }
}

/** Context items of claimed pairs: src then dst, as NSM sends them back. */
export function claims(...pairs: readonly (readonly [dst: string, src: string])[]): ContextItem[] {
  const item = (place: ContextItem["place"], text: string): ContextItem => {
    const address = parseAddress(text)!;
    return { place, address, length: address.family === 4 ? 32 : 128 };
  };
  return [...pairs.map(([, src]) => item("src-address", src)), ...pairs.map(([dst]) => item("dst-address", dst))];
}
