/** The commands that every benchmark speaks of: one pool, one endpoint, clients by number. */
import type { Address, Prefix } from "#events/address.js";
import type { ContextItem, DefineEndpoint, DefinePool, PoolMode, RequestLease } from "#events/command.js";

export const POOL = "bench";
export const ENDPOINT = "nse";
/** When the benchmarks' leases begin: a fixed time, so that two runs write the same bytes. */
export const START = Date.UTC(2026, 0, 1);

/** The address `offset` behind 10.0.0.0. */
export function v4(offset: number): Address {
  return { family: 4, value: (0x0a00_0000 + offset) >>> 0 };
}

/** The address `offset` (below 2^32) behind fd00::. */
export function v6(offset: number): Address {
  return { family: 6, words: [0xfd00_0000, 0, 0, offset >>> 0] };
}

/** 10.0.0.0/8: room for eight million pairs. */
export const WIDE_V4: Prefix = { address: v4(0), length: 8 };
/** fd00::/64. */
export const WIDE_V6: Prefix = { address: v6(0), length: 64 };

export function definePool(options: { prefix?: Prefix; mode?: PoolMode; leaseSeconds?: number; graceSeconds?: number } = {}): DefinePool {
  return {
    kind: "define-pool",
    pool: POOL,
    mode: options.mode ?? "pair",
    prefixes: [options.prefix ?? WIDE_V4],
    reserved: [],
    leaseSeconds: options.leaseSeconds ?? 86_400,
    graceSeconds: options.graceSeconds ?? 0,
    cooldownSeconds: 0,
    draining: false,
  };
}

export function defineEndpoint(): DefineEndpoint {
  return { kind: "define-endpoint", endpoint: ENDPOINT, chain: [[POOL]], contextPolicy: "replace" };
}

/** As NSM names them: the first path segment of an injected client container. */
function identity(client: number): { name: string; id: string } {
  const name = `alpine-${client.toString().padStart(8, "0")}`;
  return { name, id: `${name}-0` };
}

/** A request of client number `client`; with `items` it brings along what it held before. */
export function request(client: number, options: { connection?: string; excluded?: readonly Prefix[]; items?: readonly ContextItem[] } = {}): RequestLease {
  return {
    kind: "request",
    endpoint: ENDPOINT,
    client: identity(client),
    connection: options.connection ?? `connection-${client.toString().padStart(8, "0")}`,
    reselect: false,
    knownOnly: false,
    excluded: options.excluded ?? [],
    items: options.items ?? [],
  };
}

/** A context with one pair and both its routes, as the answer of before left it at the client. */
export function heldContext(dst: Address, src: Address): ContextItem[] {
  const length = dst.family === 4 ? 32 : 128;
  return [
    { place: "src-address", address: src, length },
    { place: "dst-address", address: dst, length },
    { place: "src-route", address: dst, length },
    { place: "dst-route", address: src, length },
  ];
}

/**
 * `count` excluded /25 with a gap of 128 addresses behind each, from `from` on: none of them merge, and
 * grants have to step over them. The Go program makes the same.
 */
export function excludedPrefixes(count: number, from = 0): Prefix[] {
  return Array.from({ length: count }, (_, i) => ({ address: v4(from + i * 256), length: 25 }));
}
