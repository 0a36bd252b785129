/**
 * What happens by itself: leases are ended when their time and grace are over, and snapshots are written as
 * the log grows. Both only ask; the core decides, with the time it is given.
 */
import type { Logger } from "pino";
import type { RealmApi } from "../events/realm-api.js";
import type { Metrics } from "./metrics.js";

export interface TimerParts {
  readonly realm: RealmApi;
  readonly clock: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly config: { readonly expiryIntervalMs: number; readonly expiryLimit: number; readonly snapshotEvents: number };
}

/** Actor of the events timers cause. */
export const systemActor = "system";

/** Ends due leases, at most `expiryLimit` in one command, again at once while there are more. */
export async function expireDue(
  { realm, clock, metrics, config }: Omit<TimerParts, "log">,
  stopped: () => boolean = () => false,
): Promise<number> {
  let ended = 0;
  for (;;) {
    const outcome = await realm.submit(
      { kind: "expire", limit: config.expiryLimit },
      { now: clock(), actor: systemActor, correlation: "expiry" },
    );
    if (!outcome.ok) throw new Error(`the core refused to expire leases: ${outcome.refusal.code}, rule ${outcome.refusal.rule}`);
    const { expired, cooled, more } = outcome.answer;
    ended += expired + cooled;
    metrics.expired.add("expired", expired);
    metrics.expired.add("cooled", cooled);
    if (!more || stopped()) return ended;
  }
}

export class Timers {
  readonly #parts: TimerParts;
  #timer: NodeJS.Timeout | undefined;
  #tick: Promise<void> = Promise.resolve();
  #snapshotAt: number;
  #stopped = false;

  /** `snapshotAt`: position of the newest snapshot, 0 if there is none. */
  constructor(parts: TimerParts, snapshotAt: number) {
    this.#parts = parts;
    this.#snapshotAt = snapshotAt;
    this.#schedule();
  }

  /** Stops, and resolves when a tick that runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#tick;
  }

  /** Writes a snapshot unless the newest one is at the head already. */
  async snapshot(): Promise<void> {
    const { realm, log } = this.#parts;
    if (realm.head().position <= this.#snapshotAt) return;
    const { position, bytes } = await realm.snapshot();
    this.#snapshotAt = position;
    log.info({ position, bytes }, "snapshot written");
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#tick = this.#run().finally(() => {
        if (!this.#stopped) this.#schedule();
      });
    }, this.#parts.config.expiryIntervalMs);
  }

  async #run(): Promise<void> {
    const { realm, log, config } = this.#parts;
    if (realm.state !== "ready") return;
    try {
      await expireDue(this.#parts, () => this.#stopped);
      if (realm.head().position - this.#snapshotAt >= config.snapshotEvents) await this.snapshot();
    } catch (error) {
      // The next tick tries again; nobody waits for this one.
      log.error({ err: error }, "timer failed");
    }
  }
}
