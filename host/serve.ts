/**
 * The service: listens first and says `recovering`, opens the realm, runs the timers, and stops in order.
 * Nothing here decides about addresses.
 */
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Logger } from "pino";
import type { RealmApi } from "../events/realm-api.js";
import { createApp } from "./app.js";
import { ConfigError } from "./config/fault.js";
import type { Config } from "./config/keys.js";
import { RealmKeeper } from "./keeper.js";
import { formatListen, listenRefusal } from "./listen.js";
import { createLog } from "./log.js";
import { Metrics } from "./metrics.js";
import { openRealm } from "./open-realm.js";
import { Problem } from "./problem.js";
import { problemReply } from "./reply.js";
import { Timers } from "./timers.js";
import { version } from "./version.js";

/** Time a client has to send a whole request; longer is a stuck or a hostile one. */
const requestTimeoutMs = 60_000;
/** Longer than the idle timeouts of common proxies, so that they close first and no request falls between. */
const keepAliveTimeoutMs = 75_000;

export interface ServeOptions {
  /** Milliseconds since 1970; the system clock if absent. */
  readonly clock?: () => number;
  readonly log?: Logger;
  /** Opens the realm; tests give one that takes its time. */
  readonly open?: typeof openRealm;
  /** Called once by `serve` when the realm answers: who started it may be waiting for the url. */
  readonly onReady?: (server: RunningServer) => void;
}

export interface RunningServer {
  /** `http://127.0.0.1:8080`, with the port that was really taken. */
  readonly url: string;
  readonly log: Logger;
  /** Resolves when the realm answers; rejects when it could not be opened (the server has stopped then). */
  readonly ready: Promise<RealmApi>;
  /** Stops accepting, lets requests finish, writes a snapshot, closes the log. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts to listen and to open the realm. Throws `ConfigError` where it must not or cannot listen; whether
 * the realm opened is in `ready`.
 */
export async function startServer(config: Config, options: ServeOptions = {}): Promise<RunningServer> {
  const refusal = listenRefusal(config.listen, config.tokens.length);
  if (refusal !== undefined) throw new ConfigError([{ where: "listen", message: refusal }]);
  const clock = options.clock ?? Date.now;
  const log = options.log ?? createLog(config);
  const stopping = new AbortController();
  let keeper: RealmKeeper | undefined;
  const current = (): RealmApi | undefined => keeper?.current();
  const metrics = new Metrics(current, { process: true });
  const app = createApp({ realm: current, clock, config, log, metrics, stop: stopping.signal });
  const listener = getRequestListener((request, env) => app.fetch(request, env), { errorHandler: badTarget });
  const server = createServer(
    { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  await listen(server, config);
  const url = `http://${formatListen({ host: config.listen.host, port: (server.address() as AddressInfo).port })}`;
  log.info({ url, pid: process.pid, version, store: config.store, tokens: config.tokens.length }, "listening");

  let timers: Timers | undefined;
  const kept = new RealmKeeper({
    log,
    open: () =>
      (options.open ?? openRealm)(config, {
        clock,
        metrics,
        progress: (position) => metrics.replayed.set(position),
        skipped: (snapshot, reason) => log.warn({ position: snapshot.position, reason }, "snapshot not used"),
      }),
    attend: async (realm) => {
      metrics.replayed.set(realm.head().position);
      const { snapshots } = await realm.log();
      const attending = new Timers({ realm, clock, log, metrics, config }, Math.max(0, ...snapshots.map(({ position }) => position)));
      timers = attending;
      return () => attending.stop();
    },
  });
  keeper = kept;
  const started = performance.now();
  const opening = kept.start();

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= stopInOrder());
  async function stopInOrder(): Promise<void> {
    stopping.abort();
    await closeServer(server, config.shutdownSeconds * 1000, log);
    await kept.stop(async (realm) => {
      if (realm.state === "ready")
        await timers
          ?.snapshot()
          .catch((error: unknown) => log.warn({ err: error }, "no snapshot at the stop; the next start replays more"));
    });
    log.info("stopped");
  }

  const ready = opening.then(
    (realm) => {
      log.info({ position: realm.head().position, milliseconds: Math.round(performance.now() - started) }, "ready");
      return realm;
    },
    async (error: unknown) => {
      await stop();
      throw error;
    },
  );
  // Who starts the server may look at `ready` later; until then its rejection is not a stray one.
  ready.catch(() => undefined);
  return { url, log, ready, stop };
}

/**
 * Runs the service until SIGTERM or SIGINT and resolves when all is closed; a second signal ends the process
 * at once. Rejects when the realm cannot be opened.
 */
export async function serve(config: Config, options: ServeOptions = {}): Promise<void> {
  const server = await startServer(config, options);
  let again = false;
  let onSignal: (signal: NodeJS.Signals) => void = () => undefined;
  const signalled = new Promise<void>((resolve) => {
    onSignal = (signal) => {
      if (again) {
        server.log.warn({ signal }, "second signal: ending at once");
        process.exit(signal === "SIGINT" ? 130 : 143);
      }
      again = true;
      server.log.info({ signal }, "stopping");
      resolve();
    };
  });
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  try {
    await Promise.race([signalled, server.ready.then(() => (options.onReady?.(server), signalled))]);
    await server.stop();
  } finally {
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
  }
}

function listen(server: Server, config: Config): Promise<void> {
  const { host, port } = config.listen;
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another process listens there; stop it or choose another port" : error.message;
      reject(new ConfigError([{ where: "listen", message: `cannot listen at ${formatListen(config.listen)}: ${why}` }]));
    });
    server.listen({ host, port }, resolve);
  });
}

/** Waits until every request has its answer, at most `milliseconds`; then the rest is cut off. */
async function closeServer(server: Server, milliseconds: number, log: Logger): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A kept-alive connection becomes idle only after its answer, so closing the idle ones once is not enough.
  const sweep = setInterval(() => server.closeIdleConnections(), 25);
  const deadline = setTimeout(() => {
    log.warn("requests did not finish in time and were cut off");
    server.closeAllConnections();
  }, milliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}

/** A request line or Host header that is no URL; everything later is answered by the app. */
function badTarget(): Response {
  const reply = problemReply(
    new Problem("invalid", "The request target or the Host header is malformed.", { field: "Host", rule: "request-target" }),
  );
  return new Response(reply.body, { status: reply.status, headers: { ...reply.headers } });
}
