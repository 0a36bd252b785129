/** The process under load: the empty route on one port, the whole service on another. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Config } from "#host/config/keys.js";
import { startServer } from "#host/serve.js";
import { defineEndpoint, definePool } from "../workload.js";
import { emptyApp } from "./empty-app.js";

export interface ServerReady {
  readonly emptyUrl: string;
  readonly url: string;
}

export interface ServerUse {
  /** Processor time since the last asking, in seconds, of all threads. */
  readonly cpuSeconds: number;
  /** Longest and 99th percentile time the event loop was held, in milliseconds. */
  readonly loopMax: number;
  readonly loopP99: number;
}

const folder = mkdtempSync(join(process.env["HOLDFAST_BENCH_DIR"] ?? tmpdir(), "holdfast-bench-http-"));
const mebibyte = 1024 * 1024;
/** The defaults of the service, but for the port, the folder and the log level. */
const config: Config = {
  dataDir: folder,
  listen: { host: "127.0.0.1", port: 0 },
  realm: "bench",
  store: "embedded",
  bodyLimitBytes: 4 * mebibyte,
  batchLimit: 1000,
  expiryIntervalMs: 1000,
  expiryLimit: 1000,
  reopenGraceSeconds: 600,
  snapshotEvents: 100_000,
  logLevel: "warn",
  tokens: [],
  tokensFile: "",
  shutdownSeconds: 1,
  roomLowBytes: 256 * mebibyte,
};

const server = await startServer(config);
const realm = await server.ready;
for (const command of [definePool(), defineEndpoint()]) {
  const outcome = await realm.submit(command, { now: Date.now(), actor: "bench", correlation: "" });
  if (!outcome.ok) throw new Error(`the service refused ${command.kind}: ${JSON.stringify(outcome.refusal)}`);
}

const emptyUrl = await new Promise<string>((resolve) => {
  const { fetch } = emptyApp();
  const empty = serve({ fetch, port: 0, hostname: "127.0.0.1" }, () => resolve(`http://127.0.0.1:${(empty.address() as AddressInfo).port}`));
});

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let used = process.cpuUsage();

process.on("message", () => {
  const { user, system } = process.cpuUsage(used);
  used = process.cpuUsage();
  const use: ServerUse = { cpuSeconds: (user + system) / 1e6, loopMax: delay.max / 1e6, loopP99: delay.percentile(99) / 1e6 };
  delay.reset();
  process.send?.(use);
});
process.on("disconnect", () => {
  void server.stop().finally(() => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
});
process.send?.({ emptyUrl, url: server.url } satisfies ServerReady);
