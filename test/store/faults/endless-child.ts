/** Runs endless.mjs and listens to what it acknowledges. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Acknowledged {
  readonly position: number;
  /** Length of the WAL when the answer came: all of the batch lies before it. */
  readonly walBytes: number;
}

export class EndlessChild {
  readonly acknowledged: Acknowledged[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #read: Promise<unknown>;
  #lines = 0;
  #heard: (() => void) | undefined;

  constructor(dataDir: string, options: { checkpointEveryMs: number; appends: number }) {
    const script = fileURLToPath(new URL("endless.mjs", import.meta.url));
    this.#process = spawn(process.execPath, [script, dataDir, String(options.checkpointEveryMs), String(options.appends)], { stdio: ["ignore", "pipe", "inherit"] });
    this.#ended = once(this.#process, "exit");
    const lines = createInterface({ input: this.#process.stdout! });
    this.#read = once(lines, "close");
    lines.on("line", (line) => {
      this.#lines++;
      const [position, walBytes] = line.split(" ").map(Number);
      if (position !== undefined && walBytes !== undefined) this.acknowledged.push({ position, walBytes });
      this.#heard?.();
    });
  }

  /** The newest position that was acknowledged, 0 if none. */
  get position(): number {
    return Math.max(0, ...this.acknowledged.slice(-10).map(({ position }) => position));
  }

  /** Resolves when so many lines have come; the first is `start`. */
  async lines(many: number): Promise<void> {
    while (this.#lines < many) {
      const heard = new Promise<void>((resolve) => (this.#heard = resolve));
      await Promise.race([heard, this.#ended.then(() => Promise.reject(new Error(`the child ended after ${this.#lines} lines`)))]);
    }
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#process.kill(name);
  }

  /** kill -9, and everything it had said before. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended();
  }

  /** Its end, and everything it has said. */
  async ended(): Promise<void> {
    await Promise.all([this.#ended, this.#read]);
  }
}
