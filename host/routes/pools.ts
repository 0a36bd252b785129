/** `/v1/pools`: sets of prefixes with a mode, and how full they are. */
import { z } from "@hono/zod-openapi";
import type { DefinePool, RetirePool } from "../../events/command.js";
import { answers, answersNothing, idempotencyParameter, jsonBody, matchParameters, refuses } from "../describe.js";
import type { MomentReads } from "../moment.js";
import { poolBodySchema, readPoolBody } from "../pool-body.js";
import { etag } from "../precondition.js";
import { json, noContent } from "../reply.js";
import type { Call, Routes } from "../route.js";
import { readJson } from "../validate.js";
import { addNamedReads, etagHeader, nameOf, nameParameter, revisionOf } from "./named.js";
import type { Named } from "./named.js";

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

export const pools: Named = {
  noun: "pool",
  plural: "pools",
  one: "A pool and its usage",
  pageName: "PoolPage",
  schema: poolSchema,
  list: (reader, after, limit) => reader.pools(after, limit),
  find: (reader, name) => reader.pool(name),
};

const tags = ["pools"];

export function addPoolRoutes(routes: Routes, moments: MomentReads): void {
  addNamedReads(routes, moments, pools);

  routes.add({
    method: "put",
    path: "/v1/pools/{pool}",
    action: "configure",
    body: true,
    write: true,
    describe: {
      tags,
      summary: "Define or change a pool",
      parameters: [nameParameter(pools), ...matchParameters, idempotencyParameter],
      request: jsonBody(poolBodySchema),
      responses: {
        ...answers(201, "Defined", poolSchema, etagHeader(pools)),
        ...answers(200, "Changed, or already so", poolSchema, etagHeader(pools)),
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
      parameters: [nameParameter(pools), ...matchParameters.slice(0, 1), idempotencyParameter],
      responses: { ...answersNothing("Retired"), ...refuses("not-found", "in-use", "precondition-failed", "idempotency-mismatch") },
    },
    handle: async (call) => {
      const name = nameOf(pools, call);
      const { position } = await call.done<RetirePool>({ kind: "retire-pool", pool: name, ...(await revisionOf(pools, call, name)) });
      return noContent({ "Holdfast-Position": String(position) });
    },
  });
}

async function definePool(call: Call): Promise<ReturnType<typeof json>> {
  const name = nameOf(pools, call);
  const settings = readPoolBody(readJson(call.text, poolBodySchema));
  const done = await call.done<DefinePool>({ kind: "define-pool", pool: name, ...settings, ...(await revisionOf(pools, call, name)) });
  const { created, revision } = done.answer;
  // Absent only if somebody retired it between the append and this line.
  const view = (await call.realm.read((reader) => reader.pool(name))) ?? { pool: name, revision };
  return json(
    view,
    { ETag: etag(revision), "Holdfast-Position": String(done.position), ...(created ? { Location: `/v1/pools/${name}` } : {}) },
    created ? 201 : 200,
  );
}
