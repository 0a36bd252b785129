/** `/v1/endpoints`: NSEs, each a named chain of groups of pools. */
import { z } from "@hono/zod-openapi";
import type { DefineEndpoint, RetireEndpoint } from "../../events/command.js";
import { answers, answersNothing, idempotencyParameter, jsonBody, matchParameters, refuses } from "../describe.js";
import { endpointBodySchema, readEndpointBody } from "../endpoint-body.js";
import type { MomentReads } from "../moment.js";
import { etag } from "../precondition.js";
import { json, noContent } from "../reply.js";
import type { Reply } from "../reply.js";
import type { Call, Routes } from "../route.js";
import { readJson } from "../validate.js";
import { addNamedReads, etagHeader, nameOf, nameParameter, revisionOf } from "./named.js";
import type { Named } from "./named.js";

const endpointSchema = endpointBodySchema
  .extend({ endpoint: z.string(), revision: z.int().openapi({ description: "Position of the last change; the ETag" }) })
  .openapi("Endpoint");

export const endpoints: Named = {
  noun: "endpoint",
  plural: "endpoints",
  one: "An endpoint",
  pageName: "EndpointPage",
  schema: endpointSchema,
  list: (reader, after, limit) => reader.endpoints(after, limit),
  find: (reader, name) => reader.endpoint(name),
};

const tags = ["endpoints"];

export function addEndpointRoutes(routes: Routes, moments: MomentReads): void {
  addNamedReads(routes, moments, endpoints);

  routes.add({
    method: "put",
    path: "/v1/endpoints/{endpoint}",
    action: "configure",
    body: true,
    write: true,
    describe: {
      tags,
      summary: "Define or change an endpoint",
      parameters: [nameParameter(endpoints), ...matchParameters, idempotencyParameter],
      request: jsonBody(endpointBodySchema),
      responses: {
        ...answers(201, "Defined", endpointSchema, etagHeader(endpoints)),
        ...answers(200, "Changed, or already so", endpointSchema, etagHeader(endpoints)),
        ...refuses(
          "not-found",
          "precondition-failed",
          "idempotency-mismatch",
          "too-large",
          "unsupported-media-type",
          "table-full",
          "store-full",
        ),
      },
    },
    handle: defineEndpoint,
  });

  routes.add({
    method: "delete",
    path: "/v1/endpoints/{endpoint}",
    action: "configure",
    write: true,
    describe: {
      tags,
      summary: "Retire an endpoint; its leases stay until they expire",
      parameters: [nameParameter(endpoints), ...matchParameters.slice(0, 1), idempotencyParameter],
      responses: { ...answersNothing("Retired"), ...refuses("not-found", "precondition-failed", "idempotency-mismatch") },
    },
    handle: async (call) => {
      const name = nameOf(endpoints, call);
      const { position } = await call.done<RetireEndpoint>({ kind: "retire-endpoint", endpoint: name, ...(await revisionOf(endpoints, call, name)) });
      return noContent({ "Holdfast-Position": String(position) });
    },
  });
}

async function defineEndpoint(call: Call): Promise<Reply> {
  const name = nameOf(endpoints, call);
  const settings = readEndpointBody(readJson(call.text, endpointBodySchema));
  const done = await call.done<DefineEndpoint>({ kind: "define-endpoint", endpoint: name, ...settings, ...(await revisionOf(endpoints, call, name)) });
  const { created, revision } = done.answer;
  return json(
    { endpoint: name, ...settings, revision },
    { ETag: etag(revision), "Holdfast-Position": String(done.position), ...(created ? { Location: `/v1/endpoints/${name}` } : {}) },
    created ? 201 : 200,
  );
}
