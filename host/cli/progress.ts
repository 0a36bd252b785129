/**
 * A bar on stderr for work that takes longer than a second, and only where a person sees it. Work reports
 * where it is; no timer runs, because the long ones (replay, verify) would not let it fire.
 */
import { SingleBar } from "cli-progress";
import type { Terminal } from "./terminal.js";

/** Shorter work is over before a bar could be read. */
const quietMs = 1000;

const endings = ["SIGINT", "SIGTERM"] as const;

export class Progress {
  #bar: SingleBar | undefined;
  readonly #startedMs: number;

  /** `total` in the same unit as `reached`; 0 draws an empty bar until it is known. */
  constructor(
    readonly terminal: Terminal,
    readonly label: string,
    readonly total: number,
    readonly unit: string,
    readonly timing: { readonly quietMs?: number; readonly clock?: () => number } = {},
  ) {
    this.#startedMs = this.#nowMs();
  }

  /** Draws, at most about ten times a second, once the work has run for `quietMs`, a second by default. */
  reached(value: number): void {
    if (this.#bar === undefined) {
      if (!this.terminal.watched || this.#nowMs() - this.#startedMs < (this.timing.quietMs ?? quietMs)) return;
      this.#bar = new SingleBar({
        format: `${this.label} [{bar}] {percentage}%  {value} of {total} ${this.unit}`,
        stream: this.terminal.err as unknown as NodeJS.WritableStream,
        barsize: 24,
        barCompleteChar: "#",
        barIncompleteChar: "-",
        clearOnComplete: true,
        hideCursor: true,
        emptyOnZero: true,
        // It would take the signal for itself and let the work go on.
        gracefulExit: false,
      });
      for (const signal of endings) process.on(signal, this.#interrupted);
      this.#bar.start(this.total, value);
    }
    this.#bar.update(value);
  }

  #nowMs(): number {
    return this.timing.clock === undefined ? performance.now() : this.timing.clock();
  }

  /** Removes the bar. Call it also when the work failed: a hidden cursor stays hidden otherwise. */
  done(): void {
    if (this.#bar === undefined) return;
    for (const signal of endings) process.off(signal, this.#interrupted);
    this.#bar.stop();
    this.#bar = undefined;
  }

  /** Shows the cursor again; then the signal does what it would have done without a bar. */
  readonly #interrupted = (signal: NodeJS.Signals): void => {
    this.done();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
}
