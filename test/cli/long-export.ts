/** An export that takes a while to read: one lease, renewed many times. */
import { createHash } from "node:crypto";
import { Core } from "#events/core.js";
import { encodeEvents } from "#events/codec.js";
import type { Event } from "#events/event.js";

const start = Date.parse("2026-11-30T14:00:00Z");

export function longExport(renewals: number): string {
  const time = (position: number): string => new Date(start + position * 1000).toISOString();
  const header = (
    position: number,
  ): { position: number; time: string; version: number; actor: string; correlation: string; causation: number } => ({
    position,
    time: time(position),
    version: 1,
    actor: "test",
    correlation: "",
    causation: 0,
  });
  const facts = {
    lease: 3,
    client: { name: "NSC-1", id: "NSC-1-0" },
    connection: "one",
    endpoint: "nse",
    pool: "p2p",
    dst: "172.16.1.0",
    src: "172.16.1.1",
  };
  const events: Event[] = [
    {
      ...header(1),
      type: "pool-defined",
      data: {
        pool: "p2p",
        mode: "pair",
        prefixes: ["172.16.1.0/24"],
        reserved: [],
        leaseSeconds: 600,
        graceSeconds: 60,
        cooldownSeconds: 0,
        draining: false,
      },
    },
    { ...header(2), type: "endpoint-defined", data: { endpoint: "nse", chain: [["p2p"]], contextPolicy: "replace" } },
    { ...header(3), type: "lease-granted", data: { ...facts, expiresAt: time(603), cause: "new", excluded: 0 } },
  ];
  for (let position = 4; position < 4 + renewals; position++) {
    events.push({
      ...header(position),
      type: "lease-renewed",
      data: { ...facts, expiresAt: time(position + 600), expiredAt: time(position + 599) },
    });
  }
  const core = Core.create();
  core.apply(encodeEvents(events));
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  const head = {
    format: 1,
    realm: "default",
    logId: "long",
    position: events.length,
    digest: "",
    stateHash: core.hash(),
    coreVersion: core.version,
    linesSha256: createHash("sha256").update(lines).digest("hex"),
  };
  return `${lines}${JSON.stringify({ head })}\n`;
}
