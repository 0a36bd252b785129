import { formatAddress, parseAddress } from "#events/address.js";
import type { Command, ContextItem, Outcome, RequestAnswer, RequestLease } from "#events/command.js";
import type { Dice } from "./dice.js";

/** A lease as its client knows it. */
export interface Known {
  readonly lease: number;
  readonly pool: string;
  readonly dst: string;
  readonly src: string;
}

/** An NSM client, and what it has been told: the only memory the auditor goes by. */
export class Actor {
  /** What the last acknowledged answer gave it; undefined while it has nothing. */
  held: readonly Known[] | undefined;
  /** Something was asked for since, and nobody knows whether it happened. */
  unsure = false;
  private connections = 0;
  /** Whether the last request gave it all of what it holds, so that a cancel takes all of it back. */
  private fresh = false;

  constructor(
    readonly name: string,
    readonly endpoint: string,
  ) {}

  /** As the ledger names it. */
  get key(): string {
    return `${this.name} 0`;
  }

  private get connection(): string {
    return `${this.name}-${this.connections}`;
  }

  private ending(kind: "close" | "cancel", connection: string): Command {
    return { kind, endpoint: this.endpoint, client: { name: this.name, id: "0" }, connection };
  }

  /** What it does next: asks, refreshes, heals, reselects, closes, closes late, or cancels. */
  next(dice: Dice, others: readonly Actor[]): Command {
    if (this.held !== undefined && !this.unsure) {
      if (dice.chance(0.1)) return this.ending("close", this.connection);
      if (dice.chance(0.05) && this.connections > 0) return this.ending("close", `${this.name}-${this.connections - 1}`);
      if (dice.chance(0.2) && this.fresh) return this.ending("cancel", this.connection);
    }
    return this.ask(dice, others);
  }

  private ask(dice: Dice, others: readonly Actor[]): RequestLease {
    const reselect = dice.chance(0.1);
    // A new connection is its own once it was answered; until then the old one is.
    const connection = reselect || dice.chance(0.15) ? this.connections + 1 : this.connections;
    const known = dice.chance(0.5) ? this.held : dice.chance(0.3) ? dice.pick(others).held : undefined;
    const mine = this.held?.[0];
    return {
      kind: "request",
      endpoint: this.endpoint,
      client: { name: this.name, id: "0" },
      connection: `${this.name}-${connection}`,
      reselect,
      knownOnly: false,
      excluded: mine !== undefined && dice.chance(0.04) ? [{ address: parseAddress(mine.src)!, length: mine.src.includes(":") ? 128 : 32 }] : [],
      items: (known ?? []).flatMap(({ dst, src }): ContextItem[] => [item("src-address", src), item("dst-address", dst)]),
    };
  }

  /** Takes note of an acknowledged outcome. */
  heard(command: Command, outcome: Outcome): void {
    if (command.kind === "request") {
      if (!outcome.ok) {
        if (outcome.refusal.code !== "connection-expired") return;
        // It asks over a new connection next. Until then its lease may be there, in its grace, or gone.
        this.connections++;
        this.held = undefined;
        this.unsure = true;
        return;
      }
      this.connections = Number(command.connection.slice(this.name.length + 1));
      const { leases } = outcome.answer as RequestAnswer;
      this.held = leases.map(({ lease, pool, dst, src }) => ({ lease, pool, dst: formatAddress(dst), src: formatAddress(src) }));
      this.fresh = leases.every(({ outcome: how }) => how === "granted" || how === "claimed" || how === "regranted");
      this.unsure = false;
    } else if ((command.kind === "close" || command.kind === "cancel") && command.connection === this.connection) this.held = undefined;
  }
}

function item(place: ContextItem["place"], text: string): ContextItem {
  const address = parseAddress(text)!;
  return { place, address, length: address.family === 4 ? 32 : 128 };
}
