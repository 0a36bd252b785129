/** Probes and metrics: outside `/v1`, because what asks them speaks no version of ours. */
import { z } from "@hono/zod-openapi";
import type { RealmApi } from "../../events/realm-api.js";
import { answers, refuses } from "../describe.js";
import type { Metrics } from "../metrics.js";
import { json } from "../reply.js";
import { requireReady } from "../route.js";
import type { Routes } from "../route.js";

const tags = ["operation"];

export function addHealthRoutes(routes: Routes, metrics: Metrics): void {
  routes.add({
    method: "get",
    path: "/livez",
    action: "open",
    always: true,
    describe: {
      tags,
      summary: "200 while the process runs",
      responses: { 200: { description: "Alive", content: { "application/json": { schema: z.object({ status: z.literal("alive") }) } } } },
    },
    handle: () => json({ status: "alive" }),
  });

  routes.add({
    method: "get",
    path: "/readyz",
    action: "open",
    always: true,
    describe: {
      tags,
      summary: "200 once the replay has reached the head",
      description: "503 recovering until then, 503 store-unavailable when the log cannot be written.",
      responses: { ...answers(200, "Ready", z.object({ status: z.literal("ready"), realm: z.string(), position: z.int() })), ...refuses() },
    },
    handle: (call) => {
      // Served before the realm is there, whatever the type of a call says.
      const realm: RealmApi | undefined = call.realm;
      requireReady(realm);
      const { position } = realm.head();
      return json({ status: "ready", realm: realm.name, position }, { "Holdfast-Position": String(position) });
    },
  });

  routes.add({
    method: "get",
    path: "/metrics",
    action: "observe",
    always: true,
    describe: {
      tags,
      summary: "Prometheus metrics",
      responses: { 200: { description: "Text exposition format", content: { "text/plain": { schema: z.string() } } } },
    },
    handle: async () => ({
      status: 200,
      headers: { "content-type": metrics.registry.contentType },
      body: await metrics.registry.metrics(),
    }),
  });
}
