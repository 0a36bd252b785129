/** A server in this process, in memory, whose clock only moves when a test says so: its answers are the same every time. */
import { pino } from "pino";
import { loadConfig } from "#host/config/load.js";
import { startServer } from "#host/serve.js";
import type { RunningServer } from "#host/serve.js";

export interface Service {
  readonly url: string;
  readonly server: RunningServer;
  /** Milliseconds to move on. */
  pass(ms: number): void;
  /** An NSM request of a client without a context; its connection is named after it. */
  request(endpoint: string, client: string): Promise<{ src: string[]; dst: string[] }>;
}

export const startOfTime = Date.parse("2026-11-30T14:00:00Z");

export async function startService(env: Record<string, string> = {}): Promise<Service> {
  let now = startOfTime;
  const { config } = loadConfig({ flags: { listen: "127.0.0.1:0", store: "memory", expiryIntervalMs: 3_600_000 }, env });
  const server = await startServer(config, { clock: () => now, log: pino({ level: "silent" }) });
  await server.ready;
  return {
    url: server.url,
    server,
    pass: (ms) => {
      now += ms;
    },
    request: (endpoint, client) => request(server.url, endpoint, client),
  };
}

/** Asks for addresses as a chain element of an NSE does; throws what the server refused. */
export async function request(
  url: string,
  endpoint: string,
  client: string,
  context: object = {},
): Promise<{ src: string[]; dst: string[] }> {
  const response = await fetch(`${url}/v1/endpoints/${endpoint}/request`, {
    method: "POST",
    // What a test may send as correlation is fixed, so that the log is the same every time.
    headers: { "content-type": "application/json", "x-request-id": `ask-${client}` },
    body: JSON.stringify({
      connection: {
        id: `${client}-connection`,
        context: { ipContext: context },
        path: {
          index: 1,
          pathSegments: [
            { name: client, id: `${client}-0` },
            { name: endpoint, id: `${client}-connection` },
          ],
        },
      },
    }),
  });
  const body = (await response.json()) as {
    detail?: string;
    context: { ipContext: { srcIpAddrs: string[]; dstIpAddrs: string[] } };
  };
  if (!response.ok) throw new Error(body.detail);
  return { src: body.context.ipContext.srcIpAddrs, dst: body.context.ipContext.dstIpAddrs };
}
