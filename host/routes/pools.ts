/** `/v1/pools`: sets of prefixes with a mode, and how full they are. */
import { z } from "@hono/zod-openapi";
import type { DefinePool, RetirePool } from "../../events/command.js";
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
import type { MomentReads } from "../moment.js";
import { readName } from "../names.js";
import { poolBodySchema, readPoolBody } from "../pool-body.js";
import { etag, expectedRevision } from "../precondition.js";
import { Problem } from "../problem.js";
import { limitOf, readQuery } from "../query.js";
import { json, noContent } from "../reply.js";
import type { Call, Routes } from "../route.js";
import { readJson } from "../validate.js";

const poolSchema = poolBodySchema
  .omit({ delegatedLength: true })
  .extend({
    pool: z.string(),
    revision: z.int().openapi({ description: "Position of the last change; the ETag" }),
    usage: z.object({
      size: z.string().openapi({ description: "Addresses in the prefixes, decimal" }),
      leases: z.int(),
      addressesLeased: z.int(),
      leasesOutside: z.int().openapi({ description: "Live leases outside the present prefixes; moved at their client's next request" }),
      cooling: z.int(),
      free: z.string().openapi({ description: "Addresses free to lease now, decimal" }),
    }),
  })
  .openapi("Pool");

const tags = ["pools"];
const poolParameter = inPath("pool", "Name of the pool");
const etagHeader = { ETag: { description: "Revision of the pool", schema: { type: "string" as const } } };

export function addPoolRoutes(routes: Routes, moments: MomentReads): void {
  routes.add({
    method: "get",
    path: "/v1/pools",
    action: "read",
    describe: {
      tags,
      summary: "List pools by name",
      parameters: [...pageParameters, atParameter],
      responses: { ...answers(200, "A page of pools", pageOf("PoolPage", poolSchema)), ...refuses() },
    },
    handle: (call) => {
      const query = readQuery(call.context, ["limit", "cursor", "at"]);
      const limit = limitOf(query);
      return moments.read(call.realm, query["at"], call.now, (reader) =>
        json({ ...reader.pools(query["cursor"], limit), position: reader.position }, { "Holdfast-Position": String(reader.position) }),
      );
    },
  });

  routes.add({
    method: "get",
    path: "/v1/pools/{pool}",
    action: "read",
    describe: {
      tags,
      summary: "A pool and its usage",
      parameters: [poolParameter, atParameter],
      responses: { ...answers(200, "The pool", poolSchema, etagHeader), ...refuses("not-found") },
    },
    handle: (call) => {
      const name = poolOf(call);
      const query = readQuery(call.context, ["at"]);
      return moments.read(call.realm, query["at"], call.now, (reader) => {
        const pool = reader.pool(name);
        if (pool === undefined) throw unknownPool(name, query["at"]);
        return json(pool, { ETag: etag(pool.revision), "Holdfast-Position": String(reader.position) });
      });
    },
  });

  routes.add({
    method: "put",
    path: "/v1/pools/{pool}",
    action: "configure",
    body: true,
    write: true,
    describe: {
      tags,
      summary: "Define or change a pool",
      parameters: [poolParameter, ...matchParameters, idempotencyParameter],
      request: jsonBody(poolBodySchema),
      responses: {
        ...answers(201, "Defined", poolSchema, etagHeader),
        ...answers(200, "Changed, or already so", poolSchema, etagHeader),
        ...refuses(
          "pool-overlap",
          "in-use",
          "precondition-failed",
          "idempotency-mismatch",
          "too-large",
          "unsupported-media-type",
          "table-full",
          "store-full",
        ),
      },
    },
    handle: definePool,
  });

  routes.add({
    method: "delete",
    path: "/v1/pools/{pool}",
    action: "configure",
    write: true,
    describe: {
      tags,
      summary: "Retire a pool nobody uses",
      parameters: [poolParameter, ...matchParameters.slice(0, 1), idempotencyParameter],
      responses: { ...answersNothing("Retired"), ...refuses("not-found", "in-use", "precondition-failed", "idempotency-mismatch") },
    },
    handle: async (call) => {
      const name = poolOf(call);
      const { position } = await call.done<RetirePool>({ kind: "retire-pool", pool: name, ...(await revisionOf(call, name)) });
      return noContent({ "Holdfast-Position": String(position) });
    },
  });
}

async function definePool(call: Call): Promise<ReturnType<typeof json>> {
  const name = poolOf(call);
  const settings = readPoolBody(readJson(call.text, poolBodySchema));
  const done = await call.done<DefinePool>({ kind: "define-pool", pool: name, ...settings, ...(await revisionOf(call, name)) });
  const { created, revision } = done.answer;
  // Absent only if somebody retired it between the append and this line.
  const view = (await call.realm.read((reader) => reader.pool(name))) ?? { pool: name, revision };
  return json(
    view,
    { ETag: etag(revision), "Holdfast-Position": String(done.position), ...(created ? { Location: `/v1/pools/${name}` } : {}) },
    created ? 201 : 200,
  );
}

function poolOf(call: Call): string {
  return readName("pool", call.context.req.param("pool") ?? "", "pool");
}

async function revisionOf(call: Call, name: string): Promise<{ ifRevision?: number }> {
  const revision = await expectedRevision(call.context, name, () => call.realm.read((reader) => reader.pool(name)?.revision));
  return revision === undefined ? {} : { ifRevision: revision };
}

function unknownPool(name: string, at: string | undefined): Problem {
  return new Problem(
    "not-found",
    at === undefined
      ? `There is no pool ${JSON.stringify(name)}; GET /v1/pools lists them.`
      : `There was no pool ${JSON.stringify(name)} at ${at}.`,
    { subject: name, rule: "pool" },
  );
}
