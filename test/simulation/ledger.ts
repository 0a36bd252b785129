/**
 * What the log says, told again in the plainest way there is: who holds which address. It decides nothing and shares
 * no code with the core; an event that breaks a promise is a failure with its position.
 */
import type { Event } from "#events/event.js";

export interface Entry {
  readonly lease: number;
  readonly client: string;
  readonly pool: string;
  dst: string;
  src: string;
  status: "live" | "cooling" | "ended";
  /** How it ended, if it did. */
  reason: string;
  expiresAt: number;
  /** No earlier end than this, because the realm was away when it would have run out. */
  notBefore: number;
  /** The realm was opened again after that: the pool's own grace is counted from the recorded expiry then. */
  isGraceOver: boolean;
}

interface PoolFacts {
  readonly single: boolean;
  readonly graceMs: number;
  readonly cooldownMs: number;
}

export class Ledger {
  readonly leases = new Map<number, Entry>();
  position = 0;
  private time = 0;
  private readonly pools = new Map<string, PoolFacts>();
  private readonly holders = new Map<string, number>();

  apply(event: Event): void {
    const time = Date.parse(event.time);
    const must = (holds: boolean, what: string): void => {
      if (!holds) throw new Error(`event ${event.position} (${event.type}) ${what}: ${JSON.stringify(event.data)}`);
    };
    must(event.position === this.position + 1, `follows event ${this.position}`);
    must(time >= this.time, "is older than the one before");
    this.note(event, time, must);
    this.position = event.position;
    this.time = time;
  }

  private note(event: Event, time: number, must: (holds: boolean, what: string) => void): void {
    switch (event.type) {
      case "realm-opened":
        for (const entry of this.leases.values()) {
          if (entry.status === "live" && entry.notBefore > 0 && entry.notBefore <= this.time) entry.isGraceOver = true;
          if (entry.status === "live" && entry.expiresAt > this.time) entry.notBefore = Math.max(entry.notBefore, Date.parse(event.data.graceUntil));
        }
        return;
      case "pool-defined":
      case "pool-changed": {
        const settings = event.type === "pool-defined" ? event.data : event.data.after;
        this.pools.set(event.data.pool, { single: settings.mode === "single", graceMs: settings.graceSeconds * 1000, cooldownMs: settings.cooldownSeconds * 1000 });
        return;
      }
      case "lease-granted": {
        const { client, pool, dst, src, expiresAt } = event.data;
        must(event.data.lease === event.position, "has another number than its position");
        const name = `${client.name} ${client.id}`;
        for (const old of this.leases.values()) {
          if (old.client !== name || old.pool !== pool) continue;
          must(old.status !== "live", `comes while lease ${old.lease} lives`);
          if (old.status === "cooling") this.leave(old, "ended");
        }
        const entry: Entry = { lease: event.position, client: name, pool, dst, src, status: "live", reason: "", expiresAt: Date.parse(expiresAt), notBefore: 0, isGraceOver: false };
        this.leases.set(entry.lease, entry);
        this.hold(entry, must);
        return;
      }
      case "lease-renewed":
      case "lease-restored":
      case "lease-moved": {
        const entry = this.leases.get(event.data.lease);
        must(entry !== undefined && entry.status === "live", "is of no live lease");
        if (event.type === "lease-moved") {
          const { pool, dst, src, from } = event.data;
          must(from.dst === entry!.dst && from.src === entry!.src, "moves from elsewhere");
          this.leave(entry!, "live");
          this.leases.set(entry!.lease, { ...entry!, pool, dst, src });
          this.hold(this.leases.get(entry!.lease)!, must);
        } else must(event.data.dst === entry!.dst && event.data.src === entry!.src, "has other addresses than were granted");
        Object.assign(this.leases.get(event.data.lease)!, { expiresAt: Date.parse(event.data.expiresAt), notBefore: 0, isGraceOver: false });
        return;
      }
      case "lease-released":
      case "lease-expired": {
        const entry = this.leases.get(event.data.lease);
        must(entry !== undefined, "is of no lease");
        const { graceMs, cooldownMs } = this.pools.get(entry!.pool)!;
        if (event.type === "lease-expired") {
          must(entry!.status === "live", "is of no live lease");
          const due = Math.max(entry!.notBefore, (entry!.isGraceOver ? entry!.expiresAt : this.endOf(entry!)) + graceMs);
          must(time >= due, `comes before its time, ${new Date(due).toISOString()}`);
        } else if (entry!.status !== "live") return;
        entry!.reason = event.type === "lease-expired" ? "expired" : event.data.reason;
        if (cooldownMs > 0 && entry!.reason !== "cancelled") entry!.status = "cooling";
        else this.leave(entry!, "ended");
        return;
      }
      case "lease-cooled": {
        const entry = this.leases.get(event.data.lease);
        must(entry?.status === "cooling", "is of no cooling lease");
        this.leave(entry!, "ended");
        return;
      }
      default:
    }
  }

  /** When a live lease runs out at the earliest, ms. */
  endOf(entry: Entry): number {
    return Math.max(entry.expiresAt, entry.notBefore);
  }

  live(client: string): Entry[] {
    return [...this.leases.values()].filter((entry) => entry.client === client && entry.status === "live");
  }

  private hold(entry: Entry, must: (holds: boolean, what: string) => void): void {
    // In a `single` pool the endpoint's address is everybody's.
    const own = this.pools.get(entry.pool)!.single ? [entry.src] : [entry.dst, entry.src];
    for (const address of own) {
      const holder = this.holders.get(address);
      must(holder === undefined, `gives ${address} away, which lease ${holder ?? 0} holds`);
      this.holders.set(address, entry.lease);
    }
  }

  private leave(entry: Entry, status: Entry["status"]): void {
    for (const address of [entry.dst, entry.src]) if (this.holders.get(address) === entry.lease) this.holders.delete(address);
    entry.status = status;
  }
}
