/** `/v1/endpoints`: NSEs, each a named chain of groups of pools. */
import { z } from "@hono/zod-openapi";
import type { DefineEndpoint, RetireEndpoint } from "../../events/command.js";
import {
  answers,
  answersNothing,
  atParameter,
  idempotencyParameter,
  inPath,
  jsonBody,
  matchParameters,
  pageOf,
  pageParameters,
  refuses,
} from "../describe.js";
import { endpointBodySchema, readEndpointBody } from "../endpoint-body.js";
import type { MomentReads } from "../moment.js";
import { readName } from "../names.js";
import { etag, expectedRevision } from "../precondition.js";
import { Problem } from "../problem.js";
import { limitOf, readQuery } from "../query.js";
import { json, noContent } from "../reply.js";
import type { Reply } from "../reply.js";
import type { Call, Routes } from "../route.js";
import { readJson } from "../validate.js";

const endpointSchema = endpointBodySchema
  .extend({ endpoint: z.string(), revision: z.int().openapi({ description: "Position of the last change; the ETag" }) })
  .openapi("Endpoint");

const tags = ["endpoints"];
const endpointParameter = inPath("endpoint", "Name of the endpoint");
const etagHeader = { ETag: { description: "Revision of the endpoint", schema: { type: "string" as const } } };

export function addEndpointRoutes(routes: Routes, moments: MomentReads): void {
  routes.add({
    method: "get",
    path: "/v1/endpoints",
    action: "read",
    describe: {
      tags,
      summary: "List endpoints by name",
      parameters: [...pageParameters, atParameter],
      responses: { ...answers(200, "A page of endpoints", pageOf("EndpointPage", endpointSchema)), ...refuses() },
    },
    handle: (call) => {
      const query = readQuery(call.context, ["limit", "cursor", "at"]);
      const limit = limitOf(query);
      return moments.read(call.realm, query["at"], call.now, (reader) =>
        json({ ...reader.endpoints(query["cursor"], limit), position: reader.position }, { "Holdfast-Position": String(reader.position) }),
      );
    },
  });

  routes.add({
    method: "get",
    path: "/v1/endpoints/{endpoint}",
    action: "read",
    describe: {
      tags,
      summary: "An endpoint",
      parameters: [endpointParameter, atParameter],
      responses: { ...answers(200, "The endpoint", endpointSchema, etagHeader), ...refuses("not-found") },
    },
    handle: (call) => {
      const name = endpointOf(call);
      const query = readQuery(call.context, ["at"]);
      return moments.read(call.realm, query["at"], call.now, (reader) => {
        const endpoint = reader.endpoint(name);
        if (endpoint === undefined) throw unknownEndpoint(name, query["at"]);
        return json(endpoint, { ETag: etag(endpoint.revision), "Holdfast-Position": String(reader.position) });
      });
    },
  });

  routes.add({
    method: "put",
    path: "/v1/endpoints/{endpoint}",
    action: "configure",
    body: true,
    write: true,
    describe: {
      tags,
      summary: "Define or change an endpoint",
      parameters: [endpointParameter, ...matchParameters, idempotencyParameter],
      request: jsonBody(endpointBodySchema),
      responses: {
        ...answers(201, "Defined", endpointSchema, etagHeader),
        ...answers(200, "Changed, or already so", endpointSchema, etagHeader),
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
      parameters: [endpointParameter, ...matchParameters.slice(0, 1), idempotencyParameter],
      responses: { ...answersNothing("Retired"), ...refuses("not-found", "precondition-failed", "idempotency-mismatch") },
    },
    handle: async (call) => {
      const name = endpointOf(call);
      const { position } = await call.done<RetireEndpoint>({ kind: "retire-endpoint", endpoint: name, ...(await revisionOf(call, name)) });
      return noContent({ "Holdfast-Position": String(position) });
    },
  });
}

async function defineEndpoint(call: Call): Promise<Reply> {
  const name = endpointOf(call);
  const settings = readEndpointBody(readJson(call.text, endpointBodySchema));
  const done = await call.done<DefineEndpoint>({ kind: "define-endpoint", endpoint: name, ...settings, ...(await revisionOf(call, name)) });
  const { created, revision } = done.answer;
  return json(
    { endpoint: name, ...settings, revision },
    { ETag: etag(revision), "Holdfast-Position": String(done.position), ...(created ? { Location: `/v1/endpoints/${name}` } : {}) },
    created ? 201 : 200,
  );
}

export function endpointOf(call: Call): string {
  return readName("endpoint", call.context.req.param("endpoint") ?? "", "endpoint");
}

async function revisionOf(call: Call, name: string): Promise<{ ifRevision?: number }> {
  const revision = await expectedRevision(call.context, name, () => call.realm.read((reader) => reader.endpoint(name)?.revision));
  return revision === undefined ? {} : { ifRevision: revision };
}

function unknownEndpoint(name: string, at: string | undefined): Problem {
  return new Problem(
    "not-found",
    at === undefined
      ? `There is no endpoint ${JSON.stringify(name)}; GET /v1/endpoints lists them.`
      : `There was no endpoint ${JSON.stringify(name)} at ${at}.`,
    { subject: name, rule: "endpoint" },
  );
}
