/**
 * Events that are well-formed and cannot have happened: a log from elsewhere, or one somebody edited. Each is applied
 * in a process of its own, because a core once looped for ever over one of them.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { encodeEvents } from "#events/codec.js";
import type { Event, EventData, EventType } from "#events/event.js";

const coreUrl = new URL("../../dist/events/core.js", import.meta.url).href;
const apply = `
const { Core } = await import(${JSON.stringify(coreUrl)});
const core = Core.create();
const [history, next] = process.argv.slice(1).map((hex) => Buffer.from(hex, "hex"));
core.apply(history);
try {
  core.apply(next);
  console.log("applied");
} catch (error) {
  console.log(error.name, error.fault, error.position);
}`;

/** What became of `next` behind `history`. */
async function outcomeOf(history: readonly Event[], next: Event): Promise<string> {
  const hex = (events: readonly Event[]): string => Buffer.from(encodeEvents(events)).toString("hex");
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", apply, hex(history), hex([next])], {
    timeout: 30_000,
    killSignal: "SIGKILL",
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  });
  return stdout.trim();
}

function event<T extends EventType>(position: number, type: T, data: EventData[T]): Event {
  return { position, time: "2026-01-01T00:00:00.000Z", version: 1, actor: "test", correlation: "", causation: 0, type, data } as Event;
}

const pool: EventData["pool-defined"] = {
  pool: "p", mode: "pair", prefixes: ["10.0.0.0/29"], reserved: [], leaseSeconds: 600, graceSeconds: 0, cooldownSeconds: 0, draining: false,
};
const facts = { lease: 3, client: { name: "a", id: "0" }, connection: "c", endpoint: "e", pool: "p", dst: "10.0.0.0", src: "10.0.0.1" };
const expiresAt = "2026-01-01T00:10:00.000Z";
const from = { pool: "p", dst: facts.dst, src: facts.src };
const moved: EventData["lease-moved"] = { ...facts, dst: "10.0.0.4", src: "10.0.0.5", from, reason: "excluded", expiresAt, excluded: 0 };

const live: readonly Event[] = [
  event(1, "pool-defined", pool),
  event(2, "endpoint-defined", { endpoint: "e", chain: [["p"]], contextPolicy: "replace" }),
  event(3, "lease-granted", { ...facts, expiresAt, cause: "new", excluded: 0 }),
];
const closed: readonly Event[] = [...live, event(4, "lease-released", { ...facts, reason: "closed" })];
const other = { client: { name: "b", id: "0" }, expiresAt, cause: "claimed", excluded: 0 } as const;
const settings = ({ pool: _, ...rest }: EventData["pool-defined"]): Omit<EventData["pool-defined"], "pool"> => rest;

const misfits: readonly (readonly [string, readonly Event[], Event])[] = [
  ["a pool over another pool's prefix", live, event(4, "pool-defined", { ...pool, pool: "q" })],
  ["a pool over half of another pool's prefix", live, event(4, "pool-defined", { ...pool, pool: "q", prefixes: ["10.0.0.4/30"] })],
  ["a pool that is there already", live, event(4, "pool-defined", { ...pool, prefixes: ["10.1.0.0/29"] })],
  ["a pool with host bits", live, event(4, "pool-defined", { ...pool, pool: "q", prefixes: ["10.0.1.3/24"] })],
  ["a pool whose prefixes meet", live, event(4, "pool-defined", { ...pool, pool: "q", prefixes: ["10.1.0.0/24", "10.1.0.0/25"] })],
  ["a pool that reserves what is not its own", live, event(4, "pool-defined", { ...pool, pool: "q", prefixes: ["10.1.0.0/24"], reserved: ["10.2.0.0/30"] })],
  ["a change of mode under live leases", live, event(4, "pool-changed", { pool: "p", before: settings(pool), after: { ...settings(pool), mode: "single" } })],
  ["a change of a pool nobody defined", live, event(4, "pool-changed", { pool: "q", before: settings(pool), after: settings(pool) })],
  ["a retired pool with live leases", live, event(4, "pool-retired", pool)],
  ["an endpoint with a pool that is not there", live, event(4, "endpoint-defined", { endpoint: "f", chain: [["q"]], contextPolicy: "replace" })],
  ["an endpoint retired that is not there", live, event(4, "endpoint-retired", { endpoint: "f" })],
  ["a cool-down's end of a live lease", live, event(4, "lease-cooled", facts)],
  ["a held address granted", live, event(4, "lease-granted", { ...facts, ...other, lease: 4 })],
  ["half a held pair granted", live, event(4, "lease-granted", { ...facts, ...other, lease: 4, dst: "10.0.0.2" })],
  ["one address granted as both of a pair", live, event(4, "lease-granted", { ...facts, ...other, lease: 4, dst: "10.0.0.2", src: "10.0.0.2" })],
  ["an address outside the pool granted", live, event(4, "lease-granted", { ...facts, ...other, lease: 4, dst: "10.0.0.8", src: "10.0.0.9" })],
  ["a second lease of one client in one pool", live, event(4, "lease-granted", { ...facts, expiresAt, cause: "new", excluded: 0, lease: 4, dst: "10.0.0.4", src: "10.0.0.5" })],
  ["a move onto itself by halves", [...live, event(4, "lease-granted", { ...facts, ...other, lease: 4, dst: "10.0.0.4", src: "10.0.0.5" })], event(5, "lease-moved", { ...moved, dst: "10.0.0.5", src: "10.0.0.6" })],
  ["an expiry of an ended lease", closed, event(5, "lease-expired", { ...facts, expiredAt: expiresAt })],
  ["a renewal of an ended lease", closed, event(5, "lease-renewed", { ...facts, expiresAt, expiredAt: expiresAt })],
  ["a restoration of an ended lease", closed, event(5, "lease-restored", { ...facts, expiresAt, expiredAt: expiresAt })],
  ["a move of an ended lease", closed, event(5, "lease-moved", moved)],
  ["a cool-down's end of an ended lease", closed, event(5, "lease-cooled", facts)],
  ["a cancel of an ended lease", closed, event(5, "lease-released", { ...facts, reason: "cancelled" })],
  ["a release of a lease that never was", live, event(4, "lease-released", { ...facts, lease: 2, reason: "closed" })],
  ["an event too early", live, event(5, "lease-released", { ...facts, reason: "closed" })],
  ["an event for the second time", live, live[2]!],
];

describe("an event that cannot have happened stops the core behind the last that could", () => {
  it.concurrent.each(misfits)("%s", async (_, history, next) => {
    expect(await outcomeOf(history, next)).toMatch(new RegExp(`^CoreStopped [124] ${history.length}$`));
  });
});
