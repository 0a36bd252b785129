/**
 * One way for every request: who is it, may it, is the realm ready, read the body, run once per idempotency
 * key, turn a problem into its document, count and log. A handler only says what it does.
 *
 * It is one function around the handler, not a chain of middleware: a chain costs more than a lease.
 */
import type { OpenAPIHono, RouteConfig } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Logger } from "pino";
import type { AnswerOf, Command, Done, Outcome } from "../events/command.js";
import type { RealmApi } from "../events/realm-api.js";
import { StoreError } from "../events/store.js";
import type { Action, Authenticator } from "./auth.js";
import { readBody } from "./body.js";
import { fingerprint, idempotencyKey } from "./idempotency.js";
import type { IdempotencyMemory } from "./idempotency.js";
import type { Metrics } from "./metrics.js";
import { Problem } from "./problem.js";
import { refusalProblem } from "./refusal.js";
import { problemReply } from "./reply.js";
import type { Reply } from "./reply.js";
import { storeProblem } from "./store-problem.js";
import type { Buckets } from "./tally.js";

/** What a handler gets. */
export class Call {
  constructor(
    readonly context: Context,
    /** Ready, unless the route said it can do without. */
    readonly realm: RealmApi,
    /** Milliseconds since 1970 at the start of the request. */
    readonly now: number,
    /** Name of the token, `anonymous` without tokens. */
    readonly actor: string,
    /** Idempotency key, or the request's id. */
    readonly correlation: string,
    /** Body as text; empty where the route takes none. */
    readonly text: string,
  ) {}

  /** Puts a command to the core in the caller's name; resolves when the outcome is durable. */
  submit<C extends Command>(command: C): Promise<Outcome<C>> {
    return this.realm.submit(command, { now: this.now, actor: this.actor, correlation: this.correlation });
  }

  /** The same, where a refusal ends the request. */
  async done<C extends Command>(command: C): Promise<Done<AnswerOf[C["kind"]]>> {
    const outcome = await this.submit(command);
    if (!outcome.ok) throw refusalProblem(outcome.refusal, command);
    return outcome;
  }
}

export interface Route {
  readonly action: Action;
  readonly method: "get" | "put" | "post" | "delete";
  /** With names in braces: `/v1/pools/{pool}`. */
  readonly path: string;
  /** Description for the API document. */
  readonly describe: Omit<RouteConfig, "method" | "path">;
  /** The body is JSON and required. */
  readonly body?: boolean;
  /** Changes something: takes an idempotency key. */
  readonly write?: boolean;
  /** Also served while the realm is not ready. */
  readonly always?: boolean;
  readonly handle: (call: Call) => Reply | Response | Promise<Reply | Response>;
}

export interface RouteParts {
  readonly app: OpenAPIHono;
  readonly realm: () => RealmApi | undefined;
  readonly clock: () => number;
  readonly auth: Authenticator;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly idempotency: IdempotencyMemory;
  readonly bodyLimitBytes: number;
}

/** Incoming request ids that may stand in the log as they are. */
const requestIdForm = /^[\x21-\x7e]{1,128}$/;

export class Routes {
  readonly #paths: { readonly method: string; readonly form: RegExp }[] = [];
  readonly #idPrefix = Math.random().toString(36).slice(2, 8);
  #ids = 0;

  constructor(readonly parts: RouteParts) {}

  add(route: Route): void {
    const { app, metrics } = this.parts;
    app.openAPIRegistry.registerPath({ ...route.describe, method: route.method, path: route.path });
    this.#paths.push({
      method: route.method.toUpperCase(),
      form: new RegExp(`^${route.path.replace(/[.]/g, "\\.").replace(/\{[^}]+\}/g, "[^/]+")}$`),
    });
    const timing = metrics.http.of(`${route.method.toUpperCase()} ${route.path}`);
    app.on(route.method.toUpperCase(), route.path.replace(/\{([^}]+)\}/g, ":$1"), (context) => this.#serve(route, timing, context));
  }

  /** Methods that are served at `path`; empty if nothing is. */
  methodsAt(path: string): string[] {
    const methods = this.#paths.filter(({ form }) => form.test(path)).map(({ method }) => method);
    return methods.includes("GET") ? [...methods, "HEAD"] : methods;
  }

  /** A response for what no route serves, or broke off before one did. */
  refuse(context: Context, problem: Problem): Response {
    const id = this.#requestId(context);
    return this.#finish(context, problemReply(problem), id, performance.now(), undefined);
  }

  async #serve(route: Route, timing: Buckets, context: Context): Promise<Response> {
    const started = performance.now();
    const id = this.#requestId(context);
    let reply: Reply | Response;
    let failure: unknown;
    try {
      reply = await this.#answer(route, context, id);
    } catch (error) {
      const problem = problemOf(error);
      // A refusal is an ordinary answer; only what is wrong with us is worth a stack.
      if (problem.status >= 500 && !(error instanceof Problem)) failure = error;
      reply = problemReply(problem);
    }
    return this.#finish(context, reply, id, started, timing, failure);
  }

  async #answer(route: Route, context: Context, id: string): Promise<Reply | Response> {
    const { parts } = this;
    const actor = parts.auth.actor(route.action, context.req.header("authorization"), context.req.header("host"));
    const realm = parts.realm();
    if (route.always !== true) requireReady(realm);
    const text = route.body === true ? await readBody(context, parts.bodyLimitBytes) : "";
    const key = route.write === true ? context.req.header("idempotency-key") : undefined;
    const call = (correlation: string): Call => new Call(context, realm as RealmApi, parts.clock(), actor, correlation, text);
    if (key === undefined) return route.handle(call(id));
    const correlation = idempotencyKey(key);
    const target = context.req.raw.url;
    const same = fingerprint([
      route.method,
      target.slice(target.indexOf("/", 8)),
      context.req.header("if-match") ?? "",
      context.req.header("if-none-match") ?? "",
      text,
    ]);
    return parts.idempotency.run(actor, correlation, same, async () => {
      try {
        return (await route.handle(call(correlation))) as Reply;
      } catch (error) {
        // A refusal is an answer and is remembered; anything else is not.
        if (error instanceof Problem) return problemReply(error);
        throw error;
      }
    });
  }

  #requestId(context: Context): string {
    const given = context.req.header("x-request-id");
    if (given !== undefined && requestIdForm.test(given)) return given;
    return `${this.#idPrefix}-${(++this.#ids).toString(36)}`;
  }

  #finish(
    context: Context,
    reply: Reply | Response,
    id: string,
    started: number,
    timing: Buckets | undefined,
    failure?: unknown,
  ): Response {
    const milliseconds = performance.now() - started;
    const { log, metrics } = this.parts;
    timing?.observe(milliseconds / 1000);
    metrics.responses.add(String(reply.status));
    const code = "code" in reply ? reply.code : undefined;
    if (code !== undefined) metrics.problems.add(code);
    const level = failure !== undefined ? "error" : reply.status >= 500 ? "warn" : reply.status >= 400 ? "info" : "debug";
    if (log.isLevelEnabled(level)) {
      const facts = {
        request: id,
        method: context.req.method,
        path: context.req.path,
        status: reply.status,
        milliseconds: Math.round(milliseconds * 1000) / 1000,
      };
      log[level]({ ...facts, ...(code === undefined ? {} : { code }), ...(failure === undefined ? {} : { err: failure }) }, "request");
    }
    if (reply instanceof Response) return reply;
    return new Response(reply.body, { status: reply.status, headers: { ...reply.headers, "X-Request-Id": id } });
  }
}

/** Refuses with `recovering` until the realm has replayed its log, with `store-unavailable` when it failed. */
export function requireReady(realm: RealmApi | undefined): asserts realm is RealmApi {
  if (realm?.state === "ready") return;
  if (realm === undefined || realm.state === "recovering") {
    throw new Problem("recovering", "The realm replays its log and answers when it has reached the head; /readyz says when.", {
      rule: "ready",
    });
  }
  throw new Problem(
    "store-unavailable",
    `The realm is ${realm.state}: a write of its log had no certain outcome, or its state broke a rule. It is opened again from its log; try again then.`,
    { rule: "ready", state: realm.state },
  );
}

/** What goes wrong on the way, as the caller sees it. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreError) return storeProblem(error);
  return new Problem(
    "internal",
    "The server failed on this request; its log has the details under the request's id.",
    {},
    {},
    { cause: error },
  );
}
