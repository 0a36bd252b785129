/** The process under load: the empty route on one port, Holdfast on another. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { emptyApp } from "./empty-app.js";

export interface ServerReady {
  readonly emptyPort: number;
}

export interface ServerUse {
  /** Processor time since the last asking, in seconds, of all threads. */
  readonly cpuSeconds: number;
  /** Longest and 99th percentile time the event loop was held, in milliseconds. */
  readonly loopMax: number;
  readonly loopP99: number;
}

function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<number> {
  return new Promise((resolve) => {
    const server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, () => resolve((server.address() as AddressInfo).port));
  });
}

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
process.on("disconnect", () => process.exit(0));
process.send?.({ emptyPort: await listen(emptyApp().fetch) } satisfies ServerReady);
