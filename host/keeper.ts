/**
 * Keeps a realm open. A realm that fails (a write with no certain outcome, a core that found its state
 * broken) answers nothing more; only replaying its log tells what is true. So it is closed and opened again,
 * with pauses that grow while that fails, and the door says `recovering` meanwhile.
 */
import type { Logger } from "pino";
import type { RealmApi } from "../events/realm-api.js";

/** How often a realm is looked at, and the first pause; pauses double up to the longest. */
const lookEveryMs = 250;
const pauseMsMax = 30_000;

export interface KeeperParts {
  readonly open: () => Promise<RealmApi>;
  /** Starts what runs beside an open realm; gives what stops it. */
  readonly attend: (realm: RealmApi) => Promise<() => Promise<void>>;
  readonly log: Logger;
}

export class RealmKeeper {
  readonly #parts: KeeperParts;
  #realm: RealmApi | undefined;
  #leave: (() => Promise<void>) | undefined;
  #work: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** The realm while it is open, failed or not; undefined while it is being opened. */
  current(): RealmApi | undefined {
    return this.#realm;
  }

  /** Opens the realm for the first time. Rejects when that fails: then somebody has to look, not a timer. */
  async start(): Promise<RealmApi> {
    const opening = this.#open();
    this.#work = opening.then(
      () => undefined,
      () => undefined,
    );
    const realm = await opening;
    if (!this.#stopped) this.#look(lookEveryMs, lookEveryMs);
    return realm;
  }

  /**
   * Ends the watch and what runs beside the realm, then hands out the realm, if there is one, for `last` and
   * closes it. A realm that is being opened is closed once it is open.
   */
  async stop(last: (realm: RealmApi) => Promise<void>): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#work;
    const realm = this.#realm;
    if (realm === undefined) return;
    await this.#leave?.();
    await last(realm);
    await realm.close();
  }

  async #open(): Promise<RealmApi> {
    const realm = await this.#parts.open();
    this.#leave = this.#stopped ? undefined : await this.#parts.attend(realm);
    this.#realm = realm;
    return realm;
  }

  #look(afterMs: number, pauseMs: number): void {
    this.#timer = setTimeout(() => {
      if (this.#realm?.state === "ready") {
        this.#look(lookEveryMs, lookEveryMs);
        return;
      }
      this.#work = this.#reopen().then((isOpen) => {
        if (!this.#stopped) this.#look(isOpen ? lookEveryMs : pauseMs, isOpen ? lookEveryMs : Math.min(2 * pauseMs, pauseMsMax));
      });
    }, afterMs);
  }

  async #reopen(): Promise<boolean> {
    const { log } = this.#parts;
    const failed = this.#realm;
    this.#realm = undefined;
    try {
      if (failed !== undefined) {
        log.error({ state: failed.state, position: failed.head().position }, "the realm failed and is opened again from its log");
        const leave = this.#leave;
        this.#leave = undefined;
        await leave?.();
        await failed.close();
      }
      const realm = await this.#open();
      log.info({ position: realm.head().position }, "the realm is open again");
      return true;
    } catch (error) {
      log.error({ err: error }, "the realm could not be opened again");
      return false;
    }
  }
}
