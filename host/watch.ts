/**
 * Events as a server-sent stream. The stream asks the log for more only when the client has taken what it
 * was given: a slow client costs its one chunk, never a growing queue, and one that takes nothing for
 * `stallMs` is cut off; it resumes by `Last-Event-ID`.
 */
import type { Event } from "../events/event.js";

export const heartbeatMs = 15_000;
export const stallMs = 60_000;
/** Open streams at once; each holds a connection and a reader of the log. */
export const watchersMax = 256;

/** Events written at once. */
const chunkEvents = 128;

/** One event as a message of the stream; the id is what a client sends back to resume. */
export function eventMessage(event: Event): string {
  // JSON.stringify leaves no line break in the text, so one data line holds it.
  return `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export interface WatchSource {
  /** As `RealmApi.watch`. */
  readonly watch: (signal: AbortSignal) => AsyncIterable<readonly Event[]>;
  /** Which events the client asked for. */
  readonly wanted: (event: Event) => boolean;
  readonly onEnd: (error: unknown) => void;
  /** Ends the stream from outside: the server stops. */
  readonly stop: AbortSignal;
}

export function eventStream(
  source: WatchSource,
  timing: { readonly heartbeatMs: number; readonly stallMs: number } = { heartbeatMs, stallMs },
): ReadableStream<Uint8Array> {
  const ending = new AbortController();
  const batches = source.watch(ending.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let backlog: readonly Event[] = [];
  let taken = 0;
  let pending: Promise<IteratorResult<readonly Event[]>> | undefined;
  let stall: NodeJS.Timeout | undefined;
  let ended = false;
  const end = (error?: unknown): void => {
    clearTimeout(stall);
    if (ended) return;
    ended = true;
    ending.abort();
    // Lets the reader of the log clean up; what it would say after the end concerns nobody.
    batches.return?.().then(undefined, () => undefined);
    source.onEnd(error);
  };

  /** From each text on until the client takes it; also the first, because some never read at all. */
  const waitForClient = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    stall = setTimeout(() => {
      const error = new Error("the client took nothing for too long");
      end(error);
      controller.error(error);
    }, timing.stallMs);
    stall.unref();
  };

  /** The next text to send: events if there are any, a comment after a quiet while. */
  const nextText = async (): Promise<string | undefined> => {
    for (;;) {
      while (taken < backlog.length) {
        const chunk = backlog.slice(taken, taken + chunkEvents);
        taken += chunk.length;
        const text = chunk.filter(source.wanted).map(eventMessage).join("");
        if (text !== "") return text;
      }
      pending ??= batches.next();
      let timer: NodeJS.Timeout | undefined;
      const quiet = new Promise<"quiet">((resolve) => (timer = setTimeout(resolve, timing.heartbeatMs, "quiet")));
      const result = await Promise.race([pending, quiet]).finally(() => clearTimeout(timer));
      if (result === "quiet") return ": still here\n\n";
      pending = undefined;
      if (result.done === true) return undefined;
      backlog = result.value;
      taken = 0;
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Sent at once, so that the client has its headers before the first event; `retry` spaces reconnects.
        controller.enqueue(encoder.encode("retry: 1000\n\n"));
        const stop = (): void => {
          if (ended) return;
          end();
          controller.close();
        };
        if (source.stop.aborted) stop();
        else source.stop.addEventListener("abort", stop, { once: true, signal: ending.signal });
        if (!ended) waitForClient(controller);
      },
      async pull(controller) {
        clearTimeout(stall);
        try {
          const text = await nextText();
          if (ended) return;
          if (text === undefined) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(encoder.encode(text));
          waitForClient(controller);
        } catch (error) {
          // A log that cannot be read breaks the stream off, so that the client comes again.
          if (ended) return;
          end(error);
          controller.error(error);
        }
      },
      cancel() {
        end();
      },
    },
    { highWaterMark: 1 },
  );
}
