/** Pieces of the API description that many routes share. */
import { z } from "@hono/zod-openapi";
import type { RouteConfig } from "@hono/zod-openapi";
import type { ZodType } from "zod";
import { pageLimitDefault, pageLimitMax } from "./query.js";
import { problemCodes, statusOf } from "./problem.js";
import type { ProblemCode } from "./problem.js";

export const problemSchema = z
  .looseObject({
    type: z.string().openapi({ example: "urn:holdfast:problem:invalid" }),
    title: z.string(),
    status: z.int(),
    detail: z.string().openapi({ description: "A sentence with the facts and the next step" }),
    code: z.enum(problemCodes as [string, ...string[]]),
    field: z.string().optional().openapi({ description: "Path to the value, header or parameter at fault" }),
    rule: z.string().optional().openapi({ description: "Stable name of the rule" }),
    subject: z.string().optional().openapi({ description: "The pool, endpoint or client it is about" }),
  })
  .openapi("Problem");

/** A path parameter. */
export function inPath(
  name: string,
  description: string,
): { name: string; in: "path"; required: true; schema: { type: "string" }; description: string } {
  return { name, in: "path", required: true, schema: { type: "string" }, description };
}

export function inQuery(
  name: string,
  description: string,
): { name: string; in: "query"; required: false; schema: { type: "string" }; description: string } {
  return { name, in: "query", required: false, schema: { type: "string" }, description };
}

export function inHeader(
  name: string,
  description: string,
): { name: string; in: "header"; required: false; schema: { type: "string" }; description: string } {
  return { name, in: "header", required: false, schema: { type: "string" }, description };
}

export const atParameter = inQuery("at", "Position (like 812) or RFC 3339 time: the state at that moment instead of now");
export const pageParameters = [
  inQuery("limit", `Items on a page, 1 to ${pageLimitMax}; ${pageLimitDefault} if absent`),
  inQuery("cursor", "`next` of the page before"),
];
export const idempotencyParameter = inHeader(
  "Idempotency-Key",
  "The same key and request give the same answer again, for an hour in this process; see docs/http-api.md",
);
export const matchParameters = [
  inHeader("If-Match", "ETag the resource must have, or *"),
  inHeader("If-None-Match", "*: it must not exist"),
];

const positionHeader = {
  "Holdfast-Position": {
    description: "Position of the last event this wrote, or that the answer is true at",
    schema: { type: "integer" as const },
  },
};

type Responses = RouteConfig["responses"];

/** A JSON answer with its position. */
export function answers(
  status: number,
  description: string,
  schema: ZodType,
  headers: Record<string, { description: string; schema: { type: "string" | "integer" } }> = {},
): Responses {
  return { [status]: { description, headers: { ...positionHeader, ...headers }, content: { "application/json": { schema } } } };
}

export function answersNothing(description: string): Responses {
  return { 204: { description, headers: positionHeader } };
}

/** The problems a route has of its own, by status; `invalid` and what every route may say come along. */
export function refuses(...codes: readonly ProblemCode[]): Responses {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set<ProblemCode>(["invalid", "unauthenticated", "forbidden", "recovering", "store-unavailable", ...codes])) {
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  }
  const responses: Responses = {};
  for (const [status, list] of byStatus) {
    responses[status] = { description: list.join(", "), content: { "application/problem+json": { schema: problemSchema } } };
  }
  return responses;
}

export function jsonBody(schema: ZodType): { body: { content: { "application/json": { schema: ZodType } }; required: true } } {
  return { body: { content: { "application/json": { schema } }, required: true } };
}

/** A list page. */
export function pageOf(name: string, item: ZodType): ZodType {
  return z
    .object({
      items: z.array(item),
      next: z.string().optional().openapi({ description: "Put into cursor for the next page; absent on the last" }),
      position: z.int(),
    })
    .openapi(name);
}
