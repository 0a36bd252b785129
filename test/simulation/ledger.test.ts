import { describe, expect, it } from "vitest";
import type { Event, EventData, EventType } from "#events/event.js";
import { Ledger } from "./ledger.js";

function event<T extends EventType>(position: number, seconds: number, type: T, data: EventData[T]): Event {
  return { position, time: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(), version: 1, actor: "", correlation: "", causation: 0, type, data } as Event;
}

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const facts = { lease: 2, client: { name: "a", id: "0" }, connection: "c", endpoint: "e", pool: "p", dst: "10.0.0.0", src: "10.0.0.1" };
const history: readonly Event[] = [
  event(1, 0, "pool-defined", { pool: "p", mode: "pair", prefixes: ["10.0.0.0/29"], reserved: [], leaseSeconds: 60, graceSeconds: 10, cooldownSeconds: 0, draining: false }),
  event(2, 0, "lease-granted", { ...facts, expiresAt: at(60), cause: "new", excluded: 0 }),
];
const opened = event(3, 50, "realm-opened", { awayMs: 0, graceUntil: at(100) });
const b = { name: "b", id: "0" };

/** An oracle that nobody saw fail proves nothing. */
describe("the ledger catches a planted fault", () => {
  it.each<[string, readonly Event[]]>([
    ["an address given twice", [event(3, 1, "lease-granted", { ...facts, lease: 3, client: b, dst: "10.0.0.2", expiresAt: at(61), cause: "new", excluded: 0 })]],
    ["a second lease of one client", [event(3, 1, "lease-granted", { ...facts, lease: 3, dst: "10.0.0.2", src: "10.0.0.3", expiresAt: at(61), cause: "new", excluded: 0 })]],
    ["an expiry inside the grace of the pool", [event(3, 69, "lease-expired", { ...facts, expiredAt: at(60) })]],
    ["an expiry inside the grace after a downtime", [opened, event(4, 80, "lease-expired", { ...facts, expiredAt: at(60) })]],
    ["a renewal with other addresses", [event(3, 1, "lease-renewed", { ...facts, src: "10.0.0.3", expiresAt: at(61), expiredAt: at(60) })]],
    ["a missing event", [event(4, 1, "lease-released", { ...facts, reason: "closed" })]],
    ["a time that goes back", [opened, event(4, 49, "lease-released", { ...facts, reason: "closed" })]],
  ])("%s", (_, next) => {
    const ledger = new Ledger();
    for (const one of [...history, ...next.slice(0, -1)]) ledger.apply(one);
    expect(() => ledger.apply(next.at(-1)!)).toThrow(/^event /);
  });
});
