/** `/v1/leases`: who holds what, now and at any moment. */
import { z } from "@hono/zod-openapi";
import { formatAddress, parsePrefix } from "../../events/address.js";
import type { ReleaseLease } from "../../events/command.js";
import type { LeaseFilter, LeaseView, Page, RealmReader } from "../../events/realm-api.js";
import {
  answers,
  answersNothing,
  atParameter,
  idempotencyParameter,
  inPath,
  inQuery,
  pageOf,
  pageParameters,
  refuses,
} from "../describe.js";
import type { MomentReads } from "../moment.js";
import { readName } from "../names.js";
import { Problem, invalid, shown } from "../problem.js";
import { limitOf, oneOf, readQuery } from "../query.js";
import type { Query } from "../query.js";
import { json, noContent } from "../reply.js";
import type { Call, Routes } from "../route.js";

const leaseStates = ["live", "expired", "ended", "cooling"] as const;

const leaseSchema = z
  .object({
    lease: z.int().openapi({ description: "Number of the lease: the position of the event that granted it" }),
    client: z.object({ name: z.string(), id: z.string() }),
    endpoint: z.string(),
    pool: z.string(),
    dst: z.string().openapi({ description: "NSE side" }),
    src: z.string().openapi({ description: "Client side" }),
    state: z.enum(leaseStates),
    expiresAt: z.string(),
  })
  .openapi("Lease");

const tags = ["leases"];
const leaseParameter = inPath("id", "Number of the lease");

export function addLeaseRoutes(routes: Routes, moments: MomentReads): void {
  routes.add({
    method: "get",
    path: "/v1/leases",
    action: "read",
    describe: {
      tags,
      summary: "List leases by number",
      parameters: [
        inQuery("pool", "Only of this pool"),
        inQuery("client", "Only of the client with this name or id"),
        inQuery("clientName", "Only of clients with this name"),
        inQuery("clientId", "Only of clients with this id"),
        inQuery("address", "Only the lease that has this address"),
        inQuery("state", `Only in this state: ${leaseStates.join(", ")}`),
        ...pageParameters,
        atParameter,
      ],
      responses: { ...answers(200, "A page of leases", pageOf("LeasePage", leaseSchema)), ...refuses() },
    },
    handle: (call) => {
      const query = readQuery(call.context, ["pool", "client", "clientName", "clientId", "address", "state", "limit", "cursor", "at"]);
      const filters = filtersOf(query);
      const limit = limitOf(query);
      const cursor = query["cursor"];
      if (cursor !== undefined && !/^\d{1,16}$/.test(cursor))
        throw invalid("cursor", "cursor-form", `cursor takes the next of a page of leases, not ${shown(cursor)}.`);
      return moments.read(call.realm, query["at"], call.now, (reader) =>
        json({ ...leasePage(reader, filters, cursor, limit), position: reader.position }, { "Holdfast-Position": String(reader.position) }),
      );
    },
  });

  routes.add({
    method: "get",
    path: "/v1/leases/{id}",
    action: "read",
    describe: {
      tags,
      summary: "A lease",
      parameters: [leaseParameter, atParameter],
      responses: { ...answers(200, "The lease", leaseSchema), ...refuses("not-found") },
    },
    handle: (call) => {
      const id = leaseOf(call);
      const query = readQuery(call.context, ["at"]);
      return moments.read(call.realm, query["at"], call.now, (reader) => {
        const lease = reader.lease(id);
        if (lease === undefined)
          throw new Problem(
            "not-found",
            `There is no lease ${id}${query["at"] === undefined ? "" : ` at ${query["at"]}`}; a lease that ended is forgotten when its client gets a new one.`,
            { subject: String(id), rule: "lease" },
          );
        return json(lease, { "Holdfast-Position": String(reader.position) });
      });
    },
  });

  routes.add({
    method: "delete",
    path: "/v1/leases/{id}",
    action: "configure",
    write: true,
    describe: {
      tags,
      summary: "Take a lease away from its client",
      parameters: [leaseParameter, idempotencyParameter],
      responses: { ...answersNothing("Taken away"), ...refuses("not-found", "idempotency-mismatch") },
    },
    handle: async (call) => {
      const { position } = await call.done<ReleaseLease>({ kind: "release-lease", lease: leaseOf(call) });
      return noContent({ "Holdfast-Position": String(position) });
    },
  });
}

function leaseOf(call: Call): number {
  const text = call.context.req.param("id") ?? "";
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (id < 1 || !Number.isSafeInteger(id))
    throw invalid("id", "lease-number", `A lease is named by its number, like 812; not ${shown(text)}.`);
  return id;
}

/** One filter, or two of which a lease must pass either: `client` is a name or an id. */
function filtersOf(query: Query): LeaseFilter[] {
  const filter: { -readonly [K in keyof LeaseFilter]: LeaseFilter[K] } = {};
  if (query["pool"] !== undefined) filter.pool = readName("pool", query["pool"], "pool");
  if (query["clientName"] !== undefined) filter.clientName = query["clientName"];
  if (query["clientId"] !== undefined) filter.clientId = query["clientId"];
  const state = oneOf(query, "state", leaseStates);
  if (state !== undefined) filter.state = state;
  if (query["address"] !== undefined) {
    const entry = parsePrefix(query["address"]);
    if (entry === undefined)
      throw invalid("address", "address-form", `address takes an IPv4 or IPv6 address, not ${shown(query["address"])}.`);
    filter.address = formatAddress(entry.address);
  }
  const client = query["client"];
  if (client === undefined) return [filter];
  if (filter.clientName !== undefined || filter.clientId !== undefined)
    throw invalid("client", "one-client", "Give client, or clientName and clientId.");
  return [
    { ...filter, clientName: client },
    { ...filter, clientId: client },
  ];
}

/** Pages of several filters as one: all are in ascending lease number and start behind the same one. */
function leasePage(reader: RealmReader, filters: readonly LeaseFilter[], after: string | undefined, limit: number): Page<LeaseView> {
  const pages = filters.map((filter) => reader.leases(filter, after, limit));
  const [only] = pages;
  if (pages.length === 1 && only !== undefined) return only;
  const byNumber = new Map<number, LeaseView>();
  for (const page of pages) for (const lease of page.items) byNumber.set(lease.lease, lease);
  // Beyond the last item of a page that goes on, its filter may have more that sort before the others'.
  const complete = Math.min(...pages.map((page) => (page.next === undefined ? Infinity : (page.items.at(-1)?.lease ?? 0))));
  const sorted = [...byNumber.values()].sort((a, b) => a.lease - b.lease).filter((lease) => lease.lease <= complete);
  const items = sorted.slice(0, limit);
  const last = items.at(-1);
  const more = sorted.length > limit || complete !== Infinity;
  return more && last !== undefined ? { items, next: String(last.lease) } : { items };
}
