/**
 * A realm, its clients, its disk and what can go wrong with it, in one process and by one seed. The clock is a number;
 * after every step the auditor's questions are put.
 */
import { parsePrefix, formatAddress } from "#events/address.js";
import { decodeEvents } from "#events/codec.js";
import type { Command, Envelope, Outcome, RequestAnswer } from "#events/command.js";
import { Core } from "#events/core.js";
import type { AppendFault } from "#events/memory-store.js";
import { MemoryDisk, openMemoryStore } from "#events/memory-store.js";
import { Realm } from "#events/realm.js";
import { StoreError } from "#events/store.js";
import { Actor } from "./actor.js";
import { Dice } from "./dice.js";
import { Ledger } from "./ledger.js";

const clientCount = 18;
const graceSeconds = 120;

export interface Tally {
  steps: number;
  acknowledged: number;
  refused: number;
  unknown: number;
  reopened: number;
  events: number;
}

export class World {
  readonly tally: Tally = { steps: 0, acknowledged: 0, refused: 0, unknown: 0, reopened: 0, events: 0 };
  private readonly dice: Dice;
  private readonly disk = new MemoryDisk();
  private readonly ledger = new Ledger();
  private actors: Actor[] = [];
  private born = 0;
  private spares = 0;
  private batchesRead = 0;
  /** Fed from the disk only, batch by batch: what a replay would give. */
  private follower = Core.create();
  private now = Date.UTC(2026, 0, 1);
  private realm!: Realm;

  /** `sabotage` gets at the disk while no process has it: shows that the auditor sees what it must not miss. */
  constructor(
    seed: number,
    private readonly sabotage?: (disk: MemoryDisk) => void,
  ) {
    this.dice = new Dice(seed);
  }

  private envelope(): Envelope {
    return { now: this.now, actor: "sim", correlation: `s-${this.tally.steps}` };
  }

  async start(): Promise<void> {
    this.realm = await this.open();
    const pool = { kind: "define-pool", reserved: [], draining: false } as const;
    await this.operate({ ...pool, pool: "four", mode: "pair", prefixes: [parsePrefix("172.16.0.0/27")!, parsePrefix("172.16.9.0/29")!], leaseSeconds: 120, graceSeconds: 20, cooldownSeconds: 0 });
    await this.operate({ ...pool, pool: "six", mode: "single", prefixes: [parsePrefix("fd00::/123")!], leaseSeconds: 300, graceSeconds: 0, cooldownSeconds: 45 });
    await this.operate({ kind: "define-endpoint", endpoint: "pairs", chain: [["four"]], contextPolicy: "replace" });
    await this.operate({ kind: "define-endpoint", endpoint: "both", chain: [["four"], ["six"]], contextPolicy: "replace" });
    while (this.actors.length < clientCount) this.actors.push(this.newcomer());
  }

  private newcomer(): Actor {
    return new Actor(`nsc-${this.born}`, this.born++ % 2 === 0 ? "pairs" : "both");
  }

  private async operate(command: Command): Promise<void> {
    const outcome = await this.realm.submit(command, this.envelope());
    if (!outcome.ok) throw new Error(`${command.kind}: ${outcome.refusal.code}`);
  }

  private async open(): Promise<Realm> {
    return Realm.open({ name: "sim", store: await openMemoryStore(this.disk), clock: () => this.now, reopenGraceSeconds: graceSeconds });
  }

  /** One thing happens, and then everything is looked at. */
  async step(): Promise<void> {
    this.tally.steps++;
    const before = this.tally.steps;
    try {
      this.now += this.dice.chance(0.02) ? this.dice.below(600_000) : this.dice.below(8000);
      const what = this.dice.next();
      if (what < 0.72) await this.requests();
      else if (what < 0.85) await this.operate({ kind: "expire", limit: 1 + this.dice.below(20) });
      else if (what < 0.88) await this.realm.snapshot();
      else if (what < 0.91) await this.takeAway();
      else if (what < 0.94) this.actors[this.dice.below(clientCount)] = this.newcomer();
      else await this.reopen();
      if (this.realm.state !== "ready") await this.reopen();
      await this.audit();
    } catch (error) {
      throw new Error(`step ${before}: ${String(error)}`, { cause: error });
    }
  }

  /** Some clients at once, and perhaps a disk that misbehaves under them. */
  private async requests(): Promise<void> {
    const asking = this.dice.shuffled(this.actors).slice(0, 1 + this.dice.below(6));
    const fault = this.dice.chance(0.2) ? this.fault() : undefined;
    let spare: Promise<unknown> = Promise.resolve();
    if (fault) {
      this.disk.failAppend(1, fault.fault);
      // Writes an event whatever the clients' commands do, so that the fault strikes this append and no later one.
      this.spares++;
      const contextPolicy = this.spares % 2 === 0 ? "append" : "replace";
      spare = this.realm.submit({ kind: "define-endpoint", endpoint: `spare-${this.spares}`, chain: [["four"]], contextPolicy }, this.envelope()).catch(() => undefined);
    }
    const answers = asking.map(async (actor) => {
      const command = actor.next(this.dice, this.actors);
      try {
        const outcome = await this.realm.submit(command, this.envelope());
        // Durable before it is answered: the disk has it now, not soon.
        if (outcome.ok && outcome.position > this.disk.head().position) throw new Error(`${actor.name} was answered with position ${outcome.position}, the disk is at ${this.disk.head().position}`);
        return { actor, command, outcome };
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return { actor, command, error };
      }
    });
    if (fault?.crash) {
      await new Promise((resolve) => setImmediate(resolve));
      this.disk.crash();
      fault.crash();
    }
    const heard = await Promise.all(answers);
    await spare;
    this.readDisk();
    for (const { actor, command, outcome, error } of heard) {
      if (outcome === undefined) {
        this.tally.unknown++;
        if (error.code === "unknown") actor.unsure = true;
        continue;
      }
      this.check(actor, command, outcome);
      actor.heard(command, outcome);
      this.tally[outcome.ok ? "acknowledged" : "refused"]++;
    }
  }

  private fault(): { fault: AppendFault; crash?: () => void } {
    switch (this.dice.below(6)) {
      case 0:
        return { fault: { kind: "unavailable" } };
      case 1:
        return { fault: { kind: "full" } };
      case 2:
        return { fault: { kind: "unknown", written: true } };
      case 3:
        return { fault: { kind: "unknown", written: false } };
      case 4: {
        // Another process of the realm, at the same position, is faster.
        const other = new Actor(`other-${this.tally.steps}`, "pairs");
        const { events, count } = this.follower.submit([{ command: other.next(this.dice, this.actors), envelope: this.envelope() }]);
        this.follower.abort();
        return count === 0 ? { fault: { kind: "unavailable" } } : { fault: { kind: "conflict", body: events, count } };
      }
      default: {
        let release = (): void => undefined;
        const until = new Promise<void>((resolve) => (release = resolve));
        return { fault: { kind: "delay", until }, crash: release };
      }
    }
  }

  /** An operator ends somebody's lease, or takes a range out of use and puts it back. */
  private async takeAway(): Promise<void> {
    const one = this.dice.pick(this.actors);
    if (this.dice.chance(0.5) && one.held !== undefined && !one.unsure) {
      const { lease } = one.held[0]!;
      const outcome = await this.realm.submit({ kind: "release-lease", lease }, this.envelope());
      if (outcome.ok) one.held = undefined;
      return;
    }
    const reserved = this.dice.chance(0.5) ? [parsePrefix("172.16.0.8/30")!] : [];
    await this.operate({
      kind: "define-pool", pool: "four", mode: "pair", prefixes: [parsePrefix("172.16.0.0/27")!, parsePrefix("172.16.9.0/29")!], reserved,
      leaseSeconds: 120, graceSeconds: 20, cooldownSeconds: 0, draining: this.dice.chance(0.2),
    });
  }

  /** The process ends, well or badly, is away for a while and comes back; opening may fail, too. */
  private async reopen(): Promise<void> {
    if (this.dice.chance(0.5)) this.disk.crash();
    else await this.realm.close();
    this.disk.crash();
    this.sabotage?.(this.disk);
    this.now += this.dice.chance(0.3) ? this.dice.below(900_000) : this.dice.below(5000);
    if (this.dice.chance(0.2)) {
      this.disk.failAppend(1, { kind: "unknown", written: this.dice.chance(0.5) });
      const failed = await this.open().then(() => false, (error: unknown) => error instanceof StoreError && error.code === "unknown");
      if (!failed) throw new Error("a realm opened although nobody knows whether its opening is written");
      this.disk.crash();
    }
    this.realm = await this.open();
    this.tally.reopened++;
  }

  /** Whether an answer is one that this client may get. */
  private check(actor: Actor, command: Command, outcome: Outcome): void {
    if (command.kind !== "request") return;
    if (!outcome.ok) {
      const { code, position } = outcome.refusal;
      const entry = code === "connection-expired" ? this.ledger.leases.get(position) : undefined;
      if (entry?.status === "live" && this.now < this.ledger.endOf(entry)) throw new Error(`${actor.name} was told that lease ${position} is over before its time`);
      if (code !== "connection-expired" && code !== "pool-exhausted") throw new Error(`${actor.name}: ${code}`);
      return;
    }
    const { leases } = outcome.answer as RequestAnswer;
    for (const { lease, pool, dst, src, movedFrom } of leases) {
      const now = `${formatAddress(dst)} ${formatAddress(src)}`;
      const entry = this.ledger.leases.get(lease);
      if (entry === undefined || `${entry.dst} ${entry.src}` !== now) throw new Error(`${actor.name} was given ${now} by lease ${lease}, the log says ${JSON.stringify(entry)}`);
      const known = actor.unsure ? undefined : actor.held?.find((one) => one.lease === lease);
      if (known !== undefined && movedFrom === undefined && `${known.dst} ${known.src}` !== now) throw new Error(`${actor.name} had ${known.dst} ${known.src} and got ${now} in ${pool}`);
      if (movedFrom !== undefined && movedFrom.reason === "excluded" && command.excluded.length === 0) throw new Error(`${actor.name} was moved for an exclusion it never asked for`);
    }
  }

  private readDisk(): void {
    for (; this.batchesRead < this.disk.batches.length; this.batchesRead++) {
      const { body } = this.disk.batches[this.batchesRead]!;
      for (const event of decodeEvents(body)) this.ledger.apply(event);
      this.follower.apply(body);
    }
    this.tally.events = this.ledger.position;
  }

  private async audit(): Promise<void> {
    this.readDisk();
    const live = await this.realm.read((reader) => {
      for (const actor of this.actors) {
        if (actor.unsure) continue;
        for (const { lease, dst, src } of actor.held ?? []) {
          const entry = this.ledger.leases.get(lease);
          // Time may have ended it, and the client not know it yet.
          if (entry?.status !== "live") {
            if (entry?.reason !== "expired") throw new Error(`${actor.name} was told that it has lease ${lease}, which is ${entry?.reason ?? "unknown"}`);
            continue;
          }
          const view = reader.lease(lease);
          if (view?.dst !== dst || view.src !== src) throw new Error(`${actor.name} holds ${dst} ${src} by lease ${lease}, the realm says ${JSON.stringify(view)}`);
        }
        if (actor.held === undefined && actor.endpoint === "pairs" && this.ledger.live(actor.key).some(({ pool }) => pool === "four")) throw new Error(`${actor.name} has nothing and the log says it holds a lease`);
      }
      return { hash: reader.hash(), position: reader.position };
    });
    if (live.hash !== this.follower.hash()) throw new Error(`the live state at ${live.position} is not what the log gives at ${this.follower.position}`);
    if (this.tally.steps % 100 === 0) {
      const replayed = Core.create("debug");
      for (const { body } of this.disk.batches) replayed.apply(body);
      if (replayed.hash() !== live.hash) throw new Error("a replay from the first event gives another state");
      const report = await this.realm.verify();
      if (!report.ok) throw new Error(`the log does not verify: ${JSON.stringify(report.fault)}`);
    }
  }

  async end(): Promise<void> {
    await this.realm.close();
  }
}
