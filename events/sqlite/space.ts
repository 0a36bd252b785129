/**
 * How much room the log's file system has left, asked for now and then and never on the way of an append.
 *
 * Thresholds, in free bytes: below `low`, no new leases; below `full`, or once the ballast has been given
 * up, only what renews or frees. The ballast comes back, and with it `ok`, when there is room for it above `low`.
 */
import { statfs } from "node:fs/promises";
import type { Room } from "../store.js";
import { hasBallast, layBallast } from "./ballast.js";

export interface SpaceOptions {
  readonly folder: string;
  readonly ballast: string;
  readonly ballastBytes: number;
  readonly lowBytes: number;
  readonly fullBytes: number;
  readonly everyMs: number;
}

export class Space {
  #freeBytes = 0;
  /** The disk was full and the ballast has not come back since. */
  #spent = false;
  #timer: NodeJS.Timeout | undefined;
  #laying: Promise<void> | undefined;
  readonly #stop = new AbortController();

  private constructor(private readonly options: SpaceOptions) {}

  /** Looks once, then again every `everyMs`. Lays the ballast in the background. */
  static async watch(options: SpaceOptions): Promise<Space> {
    const space = new Space(options);
    await space.look();
    space.#timer = setInterval(() => void space.look(), options.everyMs);
    space.#timer.unref();
    return space;
  }

  room(): Room {
    const freeBytes = this.#freeBytes;
    const { lowBytes, fullBytes } = this.options;
    if (this.#spent || freeBytes < fullBytes) return { state: "full", freeBytes };
    return { state: freeBytes < lowBytes ? "low" : "ok", freeBytes };
  }

  /** The writer met a full disk. */
  spent(): void {
    this.#spent = true;
  }

  /** Asks the file system now. Without an answer the last one stands: an append will tell soon enough. */
  async look(): Promise<void> {
    const { folder, ballast, ballastBytes, lowBytes } = this.options;
    try {
      const { bavail, bsize } = await statfs(folder);
      this.#freeBytes = Number(bavail) * Number(bsize);
    } catch {
      return;
    }
    if (this.#stop.signal.aborted || this.#laying !== undefined) return;
    if (ballastBytes > 0 && hasBallast(ballast, ballastBytes)) this.#spent = false;
    else if (this.#freeBytes >= lowBytes + ballastBytes) {
      if (ballastBytes === 0) this.#spent = false;
      else this.#laying = this.#lay();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#laying;
  }

  async #lay(): Promise<void> {
    const { ballast, ballastBytes } = this.options;
    try {
      await layBallast(ballast, ballastBytes, this.#stop.signal);
      if (!this.#stop.signal.aborted) this.#spent = false;
    } catch {
      // The room was taken by someone else meanwhile. The next look decides again.
    } finally {
      this.#laying = undefined;
    }
  }
}
