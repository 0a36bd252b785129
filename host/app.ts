/** The HTTP door: puts routes together. Everything it needs comes in, so a test can open it without a socket. */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Logger } from "pino";
import type { RealmApi } from "../events/realm-api.js";
import { Authenticator } from "./auth.js";
import type { Token } from "./auth.js";
import { IdempotencyMemory } from "./idempotency.js";
import type { Metrics } from "./metrics.js";
import { MomentReads } from "./moment.js";
import { Problem } from "./problem.js";
import { Routes } from "./route.js";
import { addEndpointRoutes } from "./routes/endpoints.js";
import { addEventRoutes } from "./routes/events.js";
import { addHealthRoutes } from "./routes/health.js";
import { addLeaseRoutes } from "./routes/leases.js";
import { addLogRoutes } from "./routes/log.js";
import { addPageRoutes } from "./routes/pages.js";
import { addPoolRoutes } from "./routes/pools.js";
import { addRequestRoutes } from "./routes/requests.js";
import { version } from "./version.js";

/** The part of the configuration the app itself needs. */
export interface AppConfig {
  readonly realm: string;
  readonly tokens: readonly Token[];
  readonly bodyLimitBytes: number;
  readonly batchLimit: number;
}

export interface AppParts {
  /** The realm, or a function that gives it once it is open; until then the door says `recovering`. */
  readonly realm: RealmApi | (() => RealmApi | undefined);
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly config: AppConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Ends the open event streams when the server stops. */
  readonly stop?: AbortSignal;
}

export function createApp(parts: AppParts): OpenAPIHono {
  const { clock, config, log, metrics } = parts;
  const given = parts.realm;
  const app = new OpenAPIHono();
  const routes = new Routes({
    app,
    realm: typeof given === "function" ? given : () => given,
    clock,
    auth: new Authenticator(config.tokens),
    log,
    metrics,
    idempotency: new IdempotencyMemory(clock),
    bodyLimitBytes: config.bodyLimitBytes,
  });
  const moments = new MomentReads();

  addRequestRoutes(routes, metrics, config.batchLimit);
  addPoolRoutes(routes, moments);
  addEndpointRoutes(routes, moments);
  addLeaseRoutes(routes, moments);
  addEventRoutes(routes, metrics, parts.stop ?? new AbortController().signal);
  addLogRoutes(routes);
  addHealthRoutes(routes, metrics);
  addPageRoutes(routes, config.realm, version);

  app.notFound((context) => {
    const { method, path } = context.req;
    const methods = routes.methodsAt(path);
    if (methods.length === 0)
      return routes.refuse(
        context,
        new Problem("not-found", `Nothing is served at ${path.slice(0, 200)}; /docs lists what is.`, { rule: "route" }),
      );
    const allowed = methods.join(", ");
    return routes.refuse(
      context,
      new Problem(
        "method-not-allowed",
        `${method.slice(0, 32)} is not served at ${path.slice(0, 200)}; ${allowed} ${methods.length === 1 ? "is" : "are"}.`,
        { rule: "method", allowed: methods },
        { Allow: allowed },
      ),
    );
  });
  // What a handler throws is answered in `Routes`; this is for what breaks before one is reached.
  app.onError((error, context) => {
    log.error({ err: error }, "request failed outside its route");
    return routes.refuse(context, new Problem("internal", "The server failed on this request; its log has the details."));
  });
  return app;
}
