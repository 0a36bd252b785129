/** `/v1/events`: the log as people and programs read it, a page at a time or as it grows. */
import { setMaxListeners } from "node:events";
import { z } from "@hono/zod-openapi";
import type { Event, EventType } from "../../events/event.js";
import { answers, inHeader, inQuery, refuses } from "../describe.js";
import type { Metrics } from "../metrics.js";
import { Problem, invalid, shown } from "../problem.js";
import { limitOf, readQuery } from "../query.js";
import type { Query } from "../query.js";
import { json } from "../reply.js";
import type { Routes } from "../route.js";
import { eventStream, watchersMax } from "../watch.js";

const eventTypes: readonly EventType[] = [
  "realm-opened",
  "pool-defined",
  "pool-changed",
  "pool-retired",
  "endpoint-defined",
  "endpoint-changed",
  "endpoint-retired",
  "lease-granted",
  "lease-renewed",
  "lease-restored",
  "lease-moved",
  "lease-released",
  "lease-expired",
  "lease-cooled",
];

const eventSchema = z
  .object({
    position: z.int(),
    type: z.enum(eventTypes as [EventType, ...EventType[]]),
    time: z.string(),
    version: z.int(),
    actor: z.string(),
    correlation: z.string(),
    causation: z.int().openapi({ description: "Position of the event that led to this one, 0 if none" }),
    data: z.looseObject({}).openapi({ description: "What happened, see docs/events.md" }),
  })
  .openapi("Event");

const tags = ["log"];

export function addEventRoutes(routes: Routes, metrics: Metrics, stop: AbortSignal): void {
  let watchers = 0;
  // Every open stream waits for it; the warning is for leaks.
  setMaxListeners(watchersMax + 1, stop);

  routes.add({
    method: "get",
    path: "/v1/events",
    action: "audit",
    describe: {
      tags,
      summary: "Events from a position on",
      parameters: [
        inQuery("after", "Position behind which to start; 0 if absent"),
        inQuery("type", "Only these types, separated by commas"),
        inQuery("subject", "Only about this pool, endpoint, client or address"),
        inQuery("limit", "Events on a page"),
      ],
      responses: {
        ...answers(
          200,
          "A page of events",
          z
            .object({
              items: z.array(eventSchema),
              next: z.string().optional().openapi({ description: "Put into after for the next page; absent at the head" }),
              head: z.int(),
            })
            .openapi("EventPage"),
        ),
        ...refuses(),
      },
    },
    handle: async (call) => {
      const query = readQuery(call.context, ["after", "type", "subject", "limit"]);
      const after = positionOf(query["after"], "after", call.realm.head().position) ?? 0;
      const types = typesOf(query);
      const subject = query["subject"];
      const { events, head, scanned } = await call.realm.events({
        after,
        limit: limitOf(query),
        ...(types === undefined ? {} : { types }),
        ...(subject === undefined ? {} : { subject }),
      });
      return json({ items: events, ...(scanned < head ? { next: String(scanned) } : {}), head }, { "Holdfast-Position": String(head) });
    },
  });

  routes.add({
    method: "get",
    path: "/v1/events/watch",
    action: "audit",
    describe: {
      tags,
      summary: "Events as a server-sent stream",
      description:
        "Each event once, in order, first those that are there, then new ones as they become durable. id is the position; a client that comes back with Last-Event-ID misses none. A comment comes every 15 seconds of quiet; a client that takes nothing for a minute is cut off.",
      parameters: [
        inQuery("after", "Position behind which to start; the head if neither this nor Last-Event-ID is given"),
        inQuery("type", "Only these types, separated by commas"),
        inHeader("Last-Event-ID", "The last id seen; goes before after"),
      ],
      responses: { 200: { description: "The stream", content: { "text/event-stream": { schema: z.string() } } }, ...refuses("overloaded") },
    },
    handle: (call) => {
      const query = readQuery(call.context, ["after", "type"]);
      const head = call.realm.head().position;
      const lastSeen = call.context.req.header("last-event-id");
      const after = positionOf(lastSeen, "Last-Event-ID", head) ?? positionOf(query["after"], "after", head) ?? head;
      const types = typesOf(query);
      const headers = {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
        "Holdfast-Position": String(after),
      };
      // A HEAD takes no body; a stream made for it would never be read.
      if (call.context.req.method === "HEAD") return new Response(null, { headers });
      if (watchers >= watchersMax)
        throw new Problem("overloaded", `${watchersMax} streams are open already; close one, or read pages from /v1/events.`, {
          rule: "watchers",
          limit: watchersMax,
        });
      metrics.watchers.set(++watchers);
      const stream = eventStream({
        watch: (signal) => call.realm.watch(after, signal),
        wanted: types === undefined ? () => true : (event: Event) => types.includes(event.type),
        onEnd: (error) => {
          metrics.watchers.set(--watchers);
          if (error !== undefined) routes.parts.log.info({ err: error, actor: call.actor }, "event stream broken off");
        },
        stop,
      });
      return new Response(stream, { headers });
    },
  });
}

function positionOf(text: string | undefined, field: string, head: number): number | undefined {
  if (text === undefined) return undefined;
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(position)) throw invalid(field, "position-form", `${field} takes a position like 812, not ${shown(text)}.`);
  // A reader that is ahead of this log followed another one; going on would hide what it misses.
  if (position > head)
    throw invalid(
      field,
      "position-ahead",
      `${field} is ${position}, above the head of this log, which is ${head}. Was it another realm's position?`,
      { head },
    );
  return position;
}

function typesOf(query: Query): readonly EventType[] | undefined {
  const text = query["type"];
  if (text === undefined) return undefined;
  return text.split(",").map((name) => {
    const type = eventTypes.find((known) => known === name);
    if (type === undefined) throw invalid("type", "one-of", `${shown(name)} is no event type; known are ${eventTypes.join(", ")}.`);
    return type;
  });
}
