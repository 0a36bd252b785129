/** What the clients of a script remember: their connections and the answers they got. */
import type { ContextItem, RequestAnswer, RequestLease } from "#events/command.js";
import { bitsOf, pointOf } from "../model/address.js";
import type { ConnectionChoice, ContextChoice } from "./script.js";
import { CLIENTS } from "./universe.js";

export class Memory {
  private constructor(
    private readonly connections: ReadonlyMap<number, number>,
    private readonly answers: ReadonlyMap<number, readonly (readonly ContextItem[])[]>,
    readonly now: number,
  ) {}

  static empty(now: number): Memory {
    return new Memory(new Map(), new Map(), now);
  }

  later(ms: number): Memory {
    return new Memory(this.connections, this.answers, this.now + ms);
  }

  connection(client: number, choice: ConnectionChoice): string {
    const current = this.connections.get(client) ?? 0;
    const number = { same: current, new: current + 1, old: Math.max(0, current - 1) }[choice];
    return `connection-${client}-${number}`;
  }

  context(client: number, choice: ContextChoice): readonly ContextItem[] {
    const other = (client + 1) % CLIENTS.length;
    const list = this.answers.get(choice === "other" ? other : client) ?? [];
    if (choice === "empty") return [];
    return list.at(choice === "stale" ? -2 : -1) ?? [];
  }

  /** The client got this answer over the connection chosen. */
  answered(client: number, choice: ConnectionChoice, asked: RequestLease, answer: RequestAnswer): Memory {
    const current = this.connections.get(client) ?? 0;
    const connections = new Map(this.connections).set(client, choice === "new" ? current + 1 : current);
    const answers = new Map(this.answers).set(client, [...(this.answers.get(client) ?? []), carriedOn(asked, answer)].slice(-3));
    return new Memory(connections, answers, this.now);
  }
}

const ITEMS_MAX = 40;

/** The next request's context: what the answer kept of this one's, and its leases with routes, hops and policies. */
function carriedOn(asked: RequestLease, answer: RequestAnswer): readonly ContextItem[] {
  const kept = asked.items.flatMap((item, i) => {
    const verdict = answer.verdicts[i];
    if (verdict === undefined || !verdict.keep) return [];
    if (!("rewrite" in verdict)) return [item];
    const lease = answer.leases[verdict.lease];
    return lease === undefined ? [] : [{ ...item, address: lease[verdict.rewrite] }];
  });
  const added = answer.leases.flatMap(({ mode, src, dst, length, present }): ContextItem[] => {
    const full = bitsOf(pointOf(src));
    const own: ContextItem[] = present.src ? [] : [{ place: "src-address", address: src, length }];
    if (mode === "single") return own;
    return [
      ...own,
      { place: "dst-address", address: dst, length },
      { place: "src-route", address: dst, length: full },
      { place: "src-route-next-hop", address: dst, length: full },
      { place: "dst-route", address: src, length: full },
      { place: "policy-from", address: src, length: full },
      { place: "policy-next-hop", address: dst, length: full },
    ];
  });
  return [...kept, ...added].slice(0, ITEMS_MAX);
}
