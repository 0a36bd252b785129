/** The service as a process runs it: a socket, a log on disk, a start that takes time, an orderly stop. */
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import type { RealmApi } from "#events/realm-api.js";
import { MemoryDisk, openMemoryStore } from "#events/memory-store.js";
import { Realm } from "#events/realm.js";
import { loadConfig } from "#host/config/load.js";
import type { Config } from "#host/config/keys.js";
import { startServer } from "#host/serve.js";
import type { RunningServer, ServeOptions } from "#host/serve.js";
import { connectionOf, start } from "./world.js";

const running: RunningServer[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function dataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-serve-"));
  folders.push(folder);
  return folder;
}

async function serving(flags: Partial<Record<keyof Config, unknown>>, options: ServeOptions = {}): Promise<RunningServer> {
  const { config } = loadConfig({ flags: { listen: "127.0.0.1:0", store: "memory", ...flags }, env: {} });
  const server = await startServer(config, { log: pino({ level: "silent" }), ...options });
  running.push(server);
  return server;
}

const pool = { mode: "pair", prefixes: ["10.0.0.0/24"], leaseSeconds: 60, graceSeconds: 0 };

async function send(server: RunningServer, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
}

async function define(server: RunningServer): Promise<void> {
  expect((await send(server, "PUT", "/v1/pools/p", pool)).status).toBe(201);
  expect((await send(server, "PUT", "/v1/endpoints/e", { chain: [["p"]] })).status).toBe(201);
}

/** Asks until the answer is as wanted; the test's own timeout ends it otherwise. */
async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("the service", () => {
  test("keeps every address over a stop and a start, on disk", async () => {
    const dir = await dataDir();
    const first = await serving({ store: "embedded", dataDir: dir });
    await first.ready;
    await define(first);
    const granted = await (await send(first, "POST", "/v1/endpoints/e/request", { connection: connectionOf("c") })).json();
    await first.stop();

    const second = await serving({ store: "embedded", dataDir: dir });
    await second.ready;
    expect(await (await send(second, "GET", "/v1/log")).json()).toMatchObject({ snapshots: [{ position: 4 }], epoch: 2 });
    const healed = await send(second, "POST", "/v1/endpoints/e/request", { connection: connectionOf("c") });
    expect(healed.headers.get("holdfast-outcome")).toBe("restored");
    expect(await healed.json()).toEqual(granted);
  });

  test("listens first and says recovering until the realm is open", async () => {
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    const server = await serving(
      {},
      { open: async () => held.then(async () => Realm.open({ name: "default", store: await openMemoryStore() })) },
    );
    const early = await send(server, "GET", "/readyz");
    expect([early.status, early.headers.get("retry-after"), ((await early.json()) as { code: string }).code]).toEqual([
      503,
      "1",
      "recovering",
    ]);
    expect((await send(server, "GET", "/livez")).status).toBe(200);
    open();
    await server.ready;
    expect((await send(server, "GET", "/readyz")).status).toBe(200);
  });

  test("stops when the realm cannot be opened, and says why", async () => {
    const server = await serving({}, { open: () => Promise.reject(new Error("the log is damaged")) });
    await expect(server.ready).rejects.toThrow("the log is damaged");
    await expect(send(server, "GET", "/livez")).rejects.toThrow();
  });

  test("refuses a second server on the same log and leaves the first alone", async () => {
    const dir = await dataDir();
    const first = await serving({ store: "embedded", dataDir: dir });
    await first.ready;
    const second = await serving({ store: "embedded", dataDir: dir });
    await expect(second.ready).rejects.toMatchObject({ code: "locked" });
    await define(first);
  });

  test("says when its port is taken, and does not listen beyond this machine without tokens", async () => {
    const first = await serving({});
    await first.ready;
    await expect(serving({ listen: first.url.slice("http://".length) })).rejects.toMatchObject({
      faults: [{ where: "listen", message: expect.stringContaining("another process listens there") as string }],
    });
    await expect(serving({ listen: "0.0.0.0:0" })).rejects.toMatchObject({
      faults: [{ message: expect.stringContaining("no tokens are configured") as string }],
    });
  });

  test("opens a failed realm again from its log", async () => {
    const disk = new MemoryDisk();
    const opened: RealmApi[] = [];
    const server = await serving(
      {},
      {
        open: async () => {
          const realm = await Realm.open({ name: "default", store: await openMemoryStore(disk) });
          opened.push(realm);
          return realm;
        },
      },
    );
    await server.ready;
    await define(server);
    disk.failAppend(1, { kind: "unknown", written: true });
    expect((await send(server, "POST", "/v1/endpoints/e/request", { connection: connectionOf("c") })).status).toBe(503);
    await until(
      () => send(server, "GET", "/readyz"),
      ({ status }) => status === 200,
    );
    expect(opened.map(({ state }) => state)).toEqual(["failed", "ready"]);
    // The write with no certain outcome was there after all: the client gets what the log says.
    const again = await send(server, "POST", "/v1/endpoints/e/request", { connection: connectionOf("c") });
    expect(again.headers.get("holdfast-outcome")).toBe("restored");
  });

  test("ends leases by itself when their time and grace are over, however many", async () => {
    const clock = { now: start };
    const server = await serving({ expiryIntervalMs: "10", expiryLimit: "3", reopenGraceSeconds: "0" }, { clock: () => clock.now });
    await server.ready;
    await define(server);
    for (let n = 0; n < 10; n++) await send(server, "POST", "/v1/endpoints/e/request", { connection: connectionOf(`c${n}`) });
    const live = async (): Promise<unknown[]> =>
      ((await (await send(server, "GET", "/v1/leases?state=live")).json()) as { items: unknown[] }).items;
    expect(await live()).toHaveLength(10);
    clock.now += 60_000;
    const events = async (): Promise<{ type: string; actor: string }[]> =>
      ((await (await send(server, "GET", "/v1/events?type=lease-expired")).json()) as { items: { type: string; actor: string }[] }).items;
    const expired = await until(events, (items) => items.length === 10);
    expect(expired.every(({ actor }) => actor === "system")).toBe(true);
    expect(await live()).toEqual([]);
  });

  test("writes a snapshot as the log grows", async () => {
    const server = await serving({ expiryIntervalMs: "10", snapshotEvents: "1000" });
    await server.ready;
    await define(server);
    for (let batch = 0; batch < 10; batch++)
      await send(
        server,
        "POST",
        "/v1/endpoints/e/requests",
        Array.from({ length: 100 }, (_, n) => ({ connection: connectionOf(`c${n}`) })),
      );
    const snapshots = async (): Promise<unknown[]> =>
      ((await (await send(server, "GET", "/v1/log")).json()) as { snapshots: unknown[] }).snapshots;
    await until(snapshots, (list) => list.length > 0);
  });

  test("finishes what it has begun before it stops, and ends open streams", async () => {
    const disk = new MemoryDisk();
    const server = await serving({}, { open: async () => Realm.open({ name: "default", store: await openMemoryStore(disk) }) });
    await server.ready;
    await define(server);
    const stream = await send(server, "GET", "/v1/events/watch");
    let write: () => void = () => undefined;
    disk.failAppend(1, { kind: "delay", until: new Promise<void>((resolve) => (write = resolve)) });
    const answer = send(server, "POST", "/v1/endpoints/e/request", { connection: connectionOf("c") });
    await until(
      async () => disk.batches.length,
      (batches) => batches === 4,
    );
    const stopping = server.stop();
    expect(await stream.text()).toContain("retry:");
    await expect(send(server, "GET", "/livez")).rejects.toThrow();
    write();
    expect((await answer).status).toBe(200);
    await stopping;
  });

  test("forgets the stream of a client that hangs up", async () => {
    const server = await serving({});
    await server.ready;
    const hangUp = new AbortController();
    const watchers = async (): Promise<string | undefined> =>
      /^holdfast_watchers (\d+)$/m.exec(await (await send(server, "GET", "/metrics")).text())?.[1];
    await fetch(`${server.url}/v1/events/watch?after=0`, { signal: hangUp.signal });
    expect(await watchers()).toBe("1");
    expect((await send(server, "HEAD", "/v1/events/watch")).headers.get("content-type")).toBe("text/event-stream");
    hangUp.abort();
    await until(watchers, (count) => count === "0");
  });

  test("answers a body of 10 MB before it is through, and a malformed target with a problem", async () => {
    const server = await serving({});
    await server.ready;
    const early = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sending = httpRequest(
        `${server.url}/v1/pools/p`,
        { method: "PUT", headers: { "content-type": "application/json", "content-length": 10_000_000 } },
        (answer) => {
          let text = "";
          answer.on("data", (chunk) => (text += String(chunk)));
          answer.on("end", () => resolve({ status: answer.statusCode, text }));
        },
      );
      sending.on("error", reject);
      // One chunk of it, and never the rest.
      sending.write("x".repeat(1000));
    });
    expect([early.status, JSON.parse(early.text)]).toMatchObject([413, { code: "too-large" }]);

    const raw = await new Promise<string>((resolve) => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname, () =>
        socket.write("GET /a\\b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
      );
      let text = "";
      socket.on("data", (chunk) => (text += String(chunk)));
      socket.on("close", () => resolve(text));
    });
    expect(raw).toContain("400 Bad Request");
    expect(raw).toContain('"rule":"request-target"');
  });
});
