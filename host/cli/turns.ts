/**
 * Lets the event loop have its turn during long work. A reading thread that is faster than we are keeps the loop
 * in its messages for seconds, and Ctrl-C would wait that long.
 */

/** Work between two turns, milliseconds: short for a person's finger, long beside what a turn costs. */
const workMs = 50;

export class Turns {
  #since = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#since < workMs) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
