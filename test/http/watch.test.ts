import { describe, expect, test } from "vitest";
import type { Event } from "#events/event.js";
import { eventStream } from "#host/watch.js";

function event(position: number): Event {
  return {
    position,
    type: "realm-opened",
    time: "2026-12-01T00:00:00.000Z",
    version: 1,
    actor: "system",
    correlation: "",
    causation: 0,
    data: { awayMs: 0, graceUntil: "2026-12-01T00:00:00.000Z" },
  };
}

/** A log of `batches`, then silence until aborted; counts how much of it was asked for. */
function log(batches: readonly (readonly Event[])[], timing?: { heartbeatMs: number; stallMs: number }) {
  let asked = 0;
  let ended: (error: unknown) => void = () => undefined;
  const end = new Promise<unknown>((resolve) => (ended = resolve));
  const stop = new AbortController();
  const stream = eventStream(
    {
      watch: async function* (signal) {
        for (const batch of batches) {
          asked++;
          yield batch;
        }
        if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      },
      wanted: (candidate) => candidate.position % 5 !== 0,
      onEnd: ended,
      stop: stop.signal,
    },
    timing ?? { heartbeatMs: 60_000, stallMs: 60_000 },
  );
  return { stream, asked: () => asked, end, stop };
}

/** Reads until `enough` is in the text, and hangs up. */
async function readUntil(stream: ReadableStream<Uint8Array>, enough: string): Promise<string> {
  const reader = stream.getReader();
  let text = "";
  while (!text.includes(enough)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  await reader.cancel();
  return text;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("the event stream", () => {
  test("sends every wanted event once, in order, with its position as id", async () => {
    const many = Array.from({ length: 1000 }, (_, index) => event(index + 1));
    const { stream, end } = log([many.slice(0, 1), many.slice(1, 700), [], many.slice(700)]);
    const text = await readUntil(stream, "id: 999\n");
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(many.map(({ position }) => position).filter((position) => position % 5 !== 0));
    expect(text).toContain(`\n\nid: 2\nevent: realm-opened\ndata: ${JSON.stringify(event(2))}\n\n`);
    expect(await end).toBeUndefined();
  });

  test("asks the log for no more while the client takes nothing", async () => {
    const { stream, asked, end } = log(Array.from({ length: 1000 }, (_, index) => [event(index + 1)]));
    for (let turns = 0; turns < 50; turns++) await turn();
    expect(asked()).toBeLessThanOrEqual(1);
    const reader = stream.getReader();
    for (let reads = 0; reads < 10; reads++) await reader.read();
    for (let turns = 0; turns < 50; turns++) await turn();
    expect(asked()).toBeLessThanOrEqual(15);
    await reader.cancel();
    expect(await end).toBeUndefined();
  });

  test("says that it is still there when nothing happens", async () => {
    const { stream } = log([], { heartbeatMs: 1, stallMs: 60_000 });
    expect(await readUntil(stream, ": still here")).toContain(": still here\n\n");
  });

  test("cuts off a client that takes nothing for too long", async () => {
    const { stream, end } = log([[event(1)], [event(2)]], { heartbeatMs: 60_000, stallMs: 1 });
    const reader = stream.getReader();
    await reader.read();
    expect(await end).toMatchObject({ message: "the client took nothing for too long" });
    await expect(reader.closed).rejects.toThrow();
  });

  test("cuts off a client that never reads at all", async () => {
    const { end } = log([], { heartbeatMs: 60_000, stallMs: 1 });
    expect(await end).toMatchObject({ message: "the client took nothing for too long" });
  });

  test("ends when the server stops, waiting or not", async () => {
    const quiet = log([]);
    const reader = quiet.stream.getReader();
    await reader.read();
    const waiting = reader.read();
    quiet.stop.abort();
    expect((await waiting).done).toBe(true);
    const untouched = log([[event(1)]]);
    untouched.stop.abort();
    expect(await untouched.end).toBeUndefined();
  });

  test("breaks off when the log cannot be read", async () => {
    let ended: unknown;
    const stream = eventStream({

      watch: async function* () {
        await Promise.resolve();
        throw new Error("unreadable");
      },
      wanted: () => true,
      onEnd: (error) => (ended = error),
      stop: new AbortController().signal,
    });
    await expect(readUntil(stream, "never")).rejects.toThrow("unreadable");
    expect(ended).toMatchObject({ message: "unreadable" });
  });
});
