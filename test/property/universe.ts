/**
 * The small world the scripts play in. Few addresses, few clients and short leases, so that everything meets
 * everything: pools fill up, prefixes wander from pool to pool, old connections come back late.
 */
import type { Prefix } from "#events/address.js";
import { type Point, parsePoint, parsePrefix } from "../model/address.js";

export const POOLS = ["a", "b", "c", "d"] as const;
export const ENDPOINTS = ["nse-0", "nse-1", "nse-2"] as const;
export const CLIENTS = [
  { name: "nsc", id: "nsc-0" },
  { name: "nsc", id: "nsc-1" },
  { name: "other", id: "nsc-0" },
  { name: "", id: "only-an-id" },
  { name: "klient-\u00e9", id: "\u00e9-0" },
] as const;

export type Family = 4 | 6;

/** Prefixes pool number `pool` may get: its own, some inside each other, and the last ones that others want too. */
export function prefixesOf(pool: number, family: Family): readonly Prefix[] {
  const own = family === 4
    ? [`10.0.${pool}.0/29`, `10.0.${pool}.8/30`, `10.0.${pool}.16/28`, `10.0.${pool}.0/30`, `10.0.${pool}.4/30`, `10.0.${pool}.0/28`, `10.0.${pool}.40/31`]
    : [`fd00:${pool}::/125`, `fd00:${pool}::/64`, `fd00:${pool}::/126`, `fd00:${pool}::100/127`, `fd00:${pool}::4/126`, `fd00:${pool}::/48`];
  const shared = family === 4 ? ["10.0.9.0/29", "10.0.9.8/31", "10.0.9.16/32"] : ["fd00:9::/126", "fd00:9::8/127"];
  return [...own, ...shared].map(parsePrefix);
}

/** What may be reserved in a pool; not all of it lies inside every choice of prefixes. */
export function reservationsOf(pool: number, family: Family): readonly Prefix[] {
  const texts = family === 4
    ? [`10.0.${pool}.0/32`, `10.0.${pool}.1/32`, `10.0.${pool}.2/31`, `10.0.${pool}.0/30`, "10.0.9.0/31"]
    : [`fd00:${pool}::/128`, `fd00:${pool}::1/128`, `fd00:${pool}::2/127`, `fd00:${pool}::/126`, "fd00:9::/127"];
  return texts.map(parsePrefix);
}

/** What requests exclude: single addresses, blocks, host bits, everything of a family. */
export const EXCLUSIONS: readonly Prefix[] = [
  ...POOLS.flatMap((_, pool) => [`10.0.${pool}.0/31`, `10.0.${pool}.1/30`, `10.0.${pool}.5/32`, `fd00:${pool}::/127`, `fd00:${pool}::2/128`]),
  "0.0.0.0/0",
  "::/0",
  // IPv4 spelled as IPv6: must not touch any IPv4 pool.
  "::ffff:a00:0/104",
].map(parsePrefix);

/** Addresses for context items, besides those of leases. */
export const ADDRESSES: readonly Point[] = [
  ...POOLS.flatMap((_, pool) => [0, 1, 2, 3, 5, 8, 15].flatMap((host) => [`10.0.${pool}.${host}`, `fd00:${pool}::${host.toString(16)}`])),
  ...[0, 1, 2, 3].flatMap((host) => [`10.0.9.${host}`, `fd00:9::${host}`]),
  // A client's own, never in any pool.
  "20.0.0.1",
  "2001:db8::1",
].map(parsePoint);

export const START_MS = Date.UTC(2026, 0, 1);
