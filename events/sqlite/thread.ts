/**
 * One worker thread as seen from the event loop. It keeps the process alive only while something is awaited from
 * it, so that a program that forgets to close a store can still end.
 */
import { Worker } from "node:worker_threads";

export interface ThreadHandlers<Reply> {
  readonly reply: (reply: Reply) => void;
  /** The thread ended without having been asked to; nothing more will come. */
  readonly died: (reason: string) => void;
}

export class Thread<Request, Reply> {
  readonly #worker: Worker;
  readonly ended: Promise<void>;
  #awaited = 0;
  #expected = false;

  /** Starts the compiled module beside this file. */
  constructor(name: string, data: unknown, handlers: ThreadHandlers<Reply>) {
    // Without the flags of the program: with `--input-type` or a loader among them no thread of ours would start.
    this.#worker = new Worker(new URL(`./${name}.js`, import.meta.url), { workerData: data, name: `holdfast ${name}`, execArgv: [] });
    this.#worker.on("message", handlers.reply);
    // After the listener: adding it would hold the process again.
    this.#worker.unref();
    let reason: string | undefined;
    this.#worker.on("error", (error) => {
      reason = error.stack ?? String(error);
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on("exit", (code) => {
        resolve();
        if (!this.#expected || reason !== undefined) handlers.died(reason ?? `the ${name} thread ended with code ${code}`);
      });
    });
  }

  post(request: Request, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer);
  }

  /** From now on an end of the thread is in order. */
  expectEnd(): void {
    this.#expected = true;
  }

  /** Keeps the process alive until `letGo` has been called as often. */
  hold(): void {
    if (this.#awaited++ === 0) this.#worker.ref();
  }

  letGo(): void {
    if (--this.#awaited === 0) this.#worker.unref();
  }

  /** Waits for the thread to end by itself; the process lives on until then. */
  async end(): Promise<void> {
    this.#expected = true;
    this.hold();
    await this.ended;
  }
}
