/** `/v1/log`: the head of the log, what is kept, and whether its bytes are what was written. */
import { z } from "@hono/zod-openapi";
import type { VerifyReport } from "../../events/store.js";
import { answers, refuses } from "../describe.js";
import { readQuery } from "../query.js";
import { json } from "../reply.js";
import type { Reply } from "../reply.js";
import type { Call, Routes } from "../route.js";

const headSchema = z.object({ position: z.int(), digest: z.string().openapi({ description: "Hex; covers every batch before" }) });
const snapshotSchema = z.object({ position: z.int(), stateHash: z.string(), coreVersion: z.int(), bytes: z.int(), at: z.string() });

const tags = ["log"];

export function addLogRoutes(routes: Routes): void {
  routes.add({
    method: "get",
    path: "/v1/log",
    action: "audit",
    describe: {
      tags,
      summary: "Head and digest of the log, oldest kept position, snapshots",
      responses: {
        ...answers(
          200,
          "The log",
          z
            .object({
              realm: z.string(),
              logId: z.string(),
              store: z.string(),
              head: headSchema,
              epoch: z.int(),
              oldest: z.int(),
              snapshots: z.array(snapshotSchema),
              room: z.object({ state: z.enum(["ok", "low", "full"]), freeBytes: z.number().nullable() }),
            })
            .openapi("Log"),
        ),
        ...refuses(),
      },
    },
    handle: async (call) => {
      readQuery(call.context, []);
      const log = await call.realm.log();
      const room = call.realm.room();
      return json(
        {
          ...log,
          snapshots: log.snapshots.map((snapshot) => ({ ...snapshot, at: new Date(snapshot.at).toISOString() })),
          room: { state: room.state, freeBytes: Number.isFinite(room.freeBytes) ? room.freeBytes : null },
        },
        { "Holdfast-Position": String(log.head.position) },
      );
    },
  });

  // One at a time: it reads the whole log, and two would only slow each other down.
  let running: Promise<VerifyReport> | undefined;
  routes.add({
    method: "post",
    path: "/v1/log/verify",
    action: "audit",
    describe: {
      tags,
      summary: "Recompute every digest of the log",
      description:
        "Reads the whole log; callers that come while one runs share its report. ok is false with the first bad position where the bytes are not what was written.",
      responses: {
        ...answers(
          200,
          "The report",
          z
            .object({
              ok: z.boolean(),
              batches: z.int(),
              events: z.int(),
              head: headSchema,
              fault: z.object({ position: z.int(), reason: z.string() }).optional(),
              snapshots: z.array(z.object({ position: z.int(), ok: z.boolean(), reason: z.string().optional() })),
            })
            .openapi("VerifyReport"),
        ),
        ...refuses(),
      },
    },
    handle: async (call: Call): Promise<Reply> => {
      readQuery(call.context, []);
      running ??= call.realm.verify().finally(() => (running = undefined));
      const report = await running;
      return json(
        { ...report, head: { position: report.head.position, digest: Buffer.from(report.head.digest).toString("hex") } },
        { "Holdfast-Position": String(report.head.position) },
      );
    },
  });
}
