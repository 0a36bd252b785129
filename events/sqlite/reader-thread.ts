/**
 * Asks the reader thread and waits for answers. Started by the first question: a store that is only written
 * to never has one.
 */
import { StoreError } from "../store.js";
import { fromFailure } from "./failure.js";
import type { ReaderAnswers, ReaderData, ReaderQuestion, ReaderReply, ReaderRequest } from "./reader.js";
import { Thread } from "./thread.js";

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: StoreError): void;
}

export class ReaderThread {
  readonly #waiting = new Map<number, Waiting>();
  #thread: Thread<ReaderRequest, ReaderReply> | undefined;
  #closed: StoreError | undefined;
  #asked = 0;

  constructor(private readonly path: string) {}

  ask<Q extends ReaderQuestion>(question: Q): Promise<ReaderAnswers[Q["ask"]]> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const thread = (this.#thread ??= this.#start());
    const id = ++this.#asked;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      thread.hold();
      thread.post({ id, question });
    }) as Promise<ReaderAnswers[Q["ask"]]>;
  }

  /** Rejects what is still being waited for and ends the thread; its connection is closed when this resolves. */
  async close(): Promise<void> {
    this.#refuse(new StoreError("closed", `the log ${this.path} is closed`, { path: this.path }));
    if (this.#thread === undefined) return;
    this.#thread.post({ kind: "close" });
    await this.#thread.end();
  }

  #start(): Thread<ReaderRequest, ReaderReply> {
    const data: ReaderData = { path: this.path };
    return new Thread("reader", data, {
      reply: (reply) => {
        const waiting = this.#waiting.get(reply.id);
        if (waiting === undefined) return;
        this.#waiting.delete(reply.id);
        this.#thread?.letGo();
        if ("failure" in reply) waiting.reject(fromFailure(reply.failure));
        else waiting.resolve(reply.answer);
      },
      died: (reason) => {
        this.#thread = undefined;
        this.#refuse(new StoreError("unavailable", `reading ${this.path} ended: ${reason}; open the log again`, { path: this.path }));
      },
    });
  }

  #refuse(error: StoreError): void {
    this.#closed ??= error;
    for (const { reject } of this.#waiting.values()) {
      reject(this.#closed);
      this.#thread?.letGo();
    }
    this.#waiting.clear();
  }
}
