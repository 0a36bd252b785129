/** How the model writes its values into events and reads them back: addresses as text, times as RFC 3339. */
import type { LeaseFacts, PoolSettings } from "#events/event.js";
import { parseRange, rangeText, textOf } from "./address.js";
import type { LeaseRecord, Pool } from "./state.js";

/** RFC 3339 in UTC with milliseconds. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

export function settingsOf(pool: Omit<Pool, "name" | "revision">): PoolSettings {
  return {
    mode: pool.mode,
    prefixes: pool.prefixes.map(rangeText),
    reserved: pool.reserved.map(rangeText),
    leaseSeconds: pool.leaseSeconds,
    graceSeconds: pool.graceSeconds,
    cooldownSeconds: pool.cooldownSeconds,
    draining: pool.draining,
  };
}

export function poolOf(name: string, revision: number, settings: PoolSettings): Pool {
  const { mode, prefixes, reserved, leaseSeconds, graceSeconds, cooldownSeconds, draining } = settings;
  if (mode === "prefix") throw new Error("model: prefix pools are not leased from");
  return { name, revision, mode, prefixes: prefixes.map(parseRange), reserved: reserved.map(parseRange), leaseSeconds, graceSeconds, cooldownSeconds, draining };
}

export function factsOf(record: LeaseRecord): LeaseFacts {
  const { lease, client, connection, endpoint, pool, dst, src } = record;
  return { lease, client, connection, endpoint, pool, dst: textOf(dst), src: textOf(src) };
}
