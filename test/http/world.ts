/** A realm in memory behind the HTTP app, with a clock that stands still: nothing here opens a socket. */
import { pino } from "pino";
import type { Logger } from "pino";
import { MemoryDisk, openMemoryStore } from "#events/memory-store.js";
import { Realm } from "#events/realm.js";
import { createApp } from "#host/app.js";
import type { AppConfig } from "#host/app.js";
import { Metrics } from "#host/metrics.js";

export const start = Date.UTC(2026, 10, 30, 10);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if there is none. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export type Headings = Readonly<Record<string, string>>;

export interface World {
  readonly realm: Realm;
  readonly disk: MemoryDisk;
  readonly metrics: Metrics;
  /** Milliseconds since 1970; set it to let time pass. */
  readonly clock: { now: number };
  readonly app: ReturnType<typeof createApp>;
  /** `body` is sent as JSON, or as it is if it is a text. */
  send(method: string, path: string, body?: unknown, headers?: Headings): Promise<Answer>;
  hash(): Promise<string>;
}

export interface WorldOptions {
  readonly config?: Partial<AppConfig>;
  readonly disk?: MemoryDisk;
  readonly clock?: { now: number };
  readonly reopenGraceSeconds?: number;
  readonly log?: Logger;
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const clock = options.clock ?? { now: start };
  const disk = options.disk ?? new MemoryDisk();
  const realm = await Realm.open({
    name: "test",
    store: await openMemoryStore(disk),
    clock: () => clock.now,
    reopenGraceSeconds: options.reopenGraceSeconds ?? 600,
  });
  const metrics = new Metrics(() => realm);
  const config: AppConfig = { realm: "test", tokens: [], bodyLimitBytes: 4 * 1024 * 1024, batchLimit: 1000, ...options.config };
  const app = createApp({ realm, clock: () => clock.now, config, log: options.log ?? pino({ level: "silent" }), metrics });
  return {
    realm,
    disk,
    metrics,
    clock,
    app,
    hash: () => realm.read((reader) => reader.hash()),
    async send(method, path, body, headers = {}) {
      const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
      const type: Headings = body === undefined ? {} : { "content-type": "application/json" };
      const response = await app.request(path, { method, ...sent, headers: { ...type, ...headers } });
      const text = await response.text();
      const isJson = (response.headers.get("content-type") ?? "").includes("json");
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson && text !== "" ? (JSON.parse(text) as unknown) : undefined,
      };
    },
  };
}

/** Pool `p` of 172.16.1.0/24 and endpoint `e` that uses it. */
export async function openServing(options: WorldOptions = {}): Promise<World> {
  const world = await openWorld(options);
  await must(world.send("PUT", "/v1/pools/p", { mode: "pair", prefixes: ["172.16.1.0/24"] }));
  await must(world.send("PUT", "/v1/endpoints/e", { chain: [["p"]] }));
  return world;
}

export async function must(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return answer;
}

/** A connection of a client with a path, as an NSE sees it. */
export function connectionOf(client: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: `${client}-at-e`,
    path: {
      index: 1,
      pathSegments: [
        { name: client, id: `${client}-0` },
        { name: "e", id: `${client}-at-e` },
      ],
    },
    ...more,
  };
}

export function request(
  world: World,
  client: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Headings = {},
): Promise<Answer> {
  return world.send("POST", "/v1/endpoints/e/request", { connection: connectionOf(client, more) }, headers);
}
