/** `/v1/endpoints/{endpoint}/request` and its kin: what an NSE's chain element asks for its clients. */
import { z } from "@hono/zod-openapi";
import type { CancelRequest, CloseConnection, Done, RequestAnswer, RequestLease } from "../../events/command.js";
import { StoreError } from "../../events/store.js";
import { answers, idempotencyParameter, inPath, jsonBody, problemSchema, refuses } from "../describe.js";
import { parseJson } from "../json.js";
import type { Metrics } from "../metrics.js";
import { composeConnection } from "../nsm/compose.js";
import type { ConnectionMessage } from "../nsm/messages.js";
import { readConnection, readRequest } from "../nsm/read-request.js";
import type { ReadRequest } from "../nsm/read-request.js";
import { connectionSchema, requestSchema } from "../nsm/schema.js";
import { Problem, invalid, tooLarge } from "../problem.js";
import { refusalProblem } from "../refusal.js";
import { json } from "../reply.js";
import type { Reply } from "../reply.js";
import type { Call, Routes } from "../route.js";
import { storeProblem } from "../store-problem.js";
import { endpoints } from "./endpoints.js";
import { nameOf } from "./named.js";

const tags = ["leases"];
const endpointParameter = inPath("endpoint", "Name of the endpoint");
const parameters = [endpointParameter, idempotencyParameter];
const refusals = refuses(
  "not-found",
  "address-held",
  "connection-expired",
  "idempotency-mismatch",
  "too-large",
  "unsupported-media-type",
  "store-conflict",
  "pool-exhausted",
  "table-full",
  "store-full",
);
const leaseHeaders = {
  "Holdfast-Lease-Expires": { description: "When the first of the leases runs out, RFC 3339", schema: { type: "string" as const } },
  "Holdfast-Outcome": {
    description: "granted, regranted, claimed, renewed, restored or moved for each lease, in chain order",
    schema: { type: "string" as const },
  },
};

export function addRequestRoutes(routes: Routes, metrics: Metrics, batchLimit: number): void {
  const grantTiming = metrics.grant.of("");

  routes.add({
    method: "post",
    path: "/v1/endpoints/{endpoint}/request",
    action: "lease",
    body: true,
    write: true,
    describe: {
      tags,
      summary: "Lease addresses for a connection: new, refresh or heal",
      description:
        "The body is an NSM NetworkServiceRequest in proto3 JSON, in snake_case or camelCase; the answer is its Connection in camelCase, with the ip_context made good. What is not about addresses passes through.",
      parameters,
      request: jsonBody(requestSchema),
      responses: { ...answers(200, "The connection with its leases", connectionSchema, leaseHeaders), ...refusals },
    },
    handle: async (call) => {
      const read = readRequest(parseJson(call.text), "");
      const command = requestCommand(call, nameOf(endpoints, call), read);
      const started = performance.now();
      const outcome = await call.submit(command);
      grantTiming.observe((performance.now() - started) / 1000);
      if (!outcome.ok) throw refusalProblem(outcome.refusal, command);
      return leaseReply(read.message, outcome, metrics);
    },
  });

  routes.add({
    method: "post",
    path: "/v1/endpoints/{endpoint}/requests",
    action: "lease",
    body: true,
    write: true,
    describe: {
      tags,
      summary: "Many requests at once, one durable append",
      description: `An array of at most ${batchLimit} NetworkServiceRequests; the answer has one element for each, in order: the Connection, or the problem document of that element.`,
      parameters,
      request: jsonBody(z.array(requestSchema)),
      responses: { ...answers(200, "One answer for each element", z.array(z.union([connectionSchema, problemSchema]))), ...refusals },
    },
    handle: async (call) => {
      const body = parseJson(call.text);
      if (!Array.isArray(body)) throw invalid("", "type", "The body must be an array of NetworkServiceRequests.");
      if (body.length > batchLimit)
        throw tooLarge("", "batch-count", batchLimit, `The array has ${body.length} elements; at most ${batchLimit} are taken at once.`);
      const endpoint = nameOf(endpoints, call);
      const started = performance.now();
      let position = 0;
      // All are submitted before the first is awaited, so that they share one append.
      const elements = await Promise.all(
        body.map(async (element: unknown, index) => {
          try {
            const read = readRequest(element, `[${index}]`);
            const command = requestCommand(call, endpoint, read);
            const outcome = await call.submit(command);
            if (!outcome.ok) throw refusalProblem(outcome.refusal, command);
            position = Math.max(position, outcome.position);
            countOutcomes(outcome.answer, metrics);
            return composeConnection(read.message, outcome.answer);
          } catch (error) {
            const problem = error instanceof StoreError ? storeProblem(error) : error;
            if (!(problem instanceof Problem)) throw error;
            metrics.problems.add(problem.code);
            return problem.document();
          }
        }),
      );
      grantTiming.observe((performance.now() - started) / 1000);
      return json(elements, { "Holdfast-Position": String(position === 0 ? call.realm.head().position : position) });
    },
  });

  for (const [word, kind, summary, description] of [
    [
      "close",
      "close",
      "Release a connection's leases",
      "Idempotent. A late Close of a connection that was replaced by a newer one of the same client frees nothing.",
    ],
    [
      "cancel",
      "cancel",
      "Undo the grant a request just made",
      "For when a later chain element failed: a lease that this connection's last request granted goes back as if it had never been.",
    ],
  ] as const) {
    routes.add({
      method: "post",
      path: `/v1/endpoints/{endpoint}/${word}`,
      action: "lease",
      body: true,
      write: true,
      describe: {
        tags,
        summary,
        description,
        parameters,
        request: jsonBody(connectionSchema),
        responses: {
          ...answers(200, "Done, or nothing was to do", z.strictObject({})),
          ...refuses("not-found", "idempotency-mismatch", "too-large", "unsupported-media-type"),
        },
      },
      handle: async (call) => {
        const { client, connection } = readConnection(parseJson(call.text), "");
        const { position } = await call.done<CloseConnection | CancelRequest>({ kind, endpoint: nameOf(endpoints, call), client, connection });
        return json({}, { "Holdfast-Position": String(position) });
      },
    });
  }
}

function requestCommand(call: Call, endpoint: string, read: ReadRequest): RequestLease {
  return {
    kind: "request",
    endpoint,
    client: read.client,
    connection: read.connection,
    reselect: read.reselect,
    // Renewals need little room and keep everybody where they are; newcomers wait for more disk.
    knownOnly: call.realm.room().state !== "ok",
    excluded: read.excluded,
    items: read.items,
  };
}

function leaseReply(message: ConnectionMessage, outcome: Done<RequestAnswer>, metrics: Metrics): Reply {
  const { answer } = outcome;
  countOutcomes(answer, metrics);
  let expires = Infinity;
  let outcomes = "";
  for (const lease of answer.leases) {
    if (lease.expiresAt < expires) expires = lease.expiresAt;
    outcomes = outcomes === "" ? lease.outcome : `${outcomes}, ${lease.outcome}`;
  }
  return json(composeConnection(message, answer), {
    "Holdfast-Position": String(outcome.position),
    "Holdfast-Outcome": outcomes,
    ...(expires === Infinity ? {} : { "Holdfast-Lease-Expires": new Date(expires).toISOString() }),
  });
}

function countOutcomes(answer: RequestAnswer, metrics: Metrics): void {
  for (const lease of answer.leases) metrics.outcomes.add(lease.outcome);
}
