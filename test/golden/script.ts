import { parseAddress, parsePrefix } from "#events/address.js";
import type { Address, Prefix } from "#events/address.js";
import type { Command, RequestLease } from "#events/command.js";

/** One command of the golden script, and the time it comes at. */
export interface Step {
  readonly now: number;
  readonly command: Command;
  /** Breaks the command's bytes where no command of ours would be wrong; offsets count from the record's end. */
  readonly spoil?: (record: DataView) => void;
}

const start = Date.UTC(2026, 0, 1);

function prefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed) throw new Error(text);
  return parsed;
}

function address(text: string): Address {
  const parsed = parseAddress(text);
  if (!parsed) throw new Error(text);
  return parsed;
}

function pool(name: string, prefixes: readonly string[], more: Partial<Extract<Command, { kind: "define-pool" }>> = {}): Command {
  return {
    kind: "define-pool",
    pool: name,
    mode: "pair",
    prefixes: prefixes.map(prefix),
    reserved: [],
    leaseSeconds: 600,
    graceSeconds: 60,
    cooldownSeconds: 0,
    draining: false,
    ...more,
  };
}

function ask(client: string, endpoint: string, more: Partial<RequestLease> = {}): Command {
  return {
    kind: "request",
    endpoint,
    client: { name: client, id: `${client}-0` },
    connection: `c-${client}`,
    reselect: false,
    knownOnly: false,
    excluded: [],
    items: [],
    ...more,
  };
}

function ending(kind: "close" | "cancel", client: string, endpoint: string): Command {
  return { kind, endpoint, client: { name: client, id: `${client}-0` }, connection: `c-${client}` };
}

const claim = (src: string, dst: string): RequestLease["items"] => [
  { place: "src-address", address: address(src), length: 32 },
  { place: "dst-address", address: address(dst), length: 32 },
];

const item = (place: RequestLease["items"][number]["place"], text: string, length: number): RequestLease["items"][number] => ({
  place,
  address: address(text),
  length,
});

/** Behind a request's texts: u32 and u32 excluded ranges, u16 items, the ranges, the items. */
const excludedCount = (record: DataView): void => record.setUint32(record.byteLength - 10, 16_385, true);
const itemCount = (record: DataView): void => record.setUint16(record.byteLength - 2, 1025, true);
const rangeTurnedRound = (record: DataView): void => record.setUint32(record.byteLength - 8, 0xffff_ffff, true);
const noSuchPlace = (record: DataView): void => record.setUint8(record.byteLength - 20, 8);
const noSuchKind = (record: DataView): void => record.setUint16(4, 11, true);

/**
 * Every event type and every rule that refuses, in the order they can happen. Left out: what needs an exhausted
 * memory or thousands of pools and endpoints (test/core/limits.test.ts). New steps go to the end, so that the vectors
 * there are stay what they are.
 */
export const script: readonly Step[] = (
  [
    [0, { kind: "open-realm", graceSeconds: 600 }],
    [1, pool("p2p", ["172.16.1.0/29"], { reserved: [prefix("172.16.1.7/32")] })],
    [1, pool("six", ["fd00::/64"])],
    [1, pool("shared", ["10.0.0.0/29"], { mode: "single", cooldownSeconds: 30 })],
    [1, pool("p2p", ["172.16.1.4/29"])],
    [1, pool("other", ["172.16.0.0/16"])],
    [1, pool("late", ["10.9.0.0/24"], { ifRevision: 7 })],
    [1, pool("many", Array.from({ length: 257 }, (_, i) => `10.8.${i % 256}.${i < 256 ? 0 : 1}/32`))],
    [2, { kind: "define-endpoint", endpoint: "nse", chain: [["p2p"], ["six"]], contextPolicy: "replace" }],
    [2, { kind: "define-endpoint", endpoint: "lan", chain: [["shared"]], contextPolicy: "append" }],
    [2, { kind: "define-endpoint", endpoint: "bad", chain: [["nowhere"]], contextPolicy: "replace" }],
    [10, ask("nsc-1", "nse")],
    [11, ask("nsc-2", "nse", { excluded: [prefix("172.16.1.2/32"), prefix("fd00::2/127")] })],
    [12, ask("nsc-3", "nse", { knownOnly: true })],
    [13, ask("nsc-4", "lan")],
    [20, ask("nsc-1", "nse", { items: [...claim("172.16.1.1", "172.16.1.0"), ...claim("20.0.0.1", "172.16.1.3")] })],
    [21, ask("nsc-2", "nse", { connection: "c-new" })],
    [22, ask("nsc-9", "nse", { items: claim("172.16.1.6", "172.16.1.5") })],
    [23, ask("nsc-10", "nse")],
    [24, ending("cancel", "nsc-9", "nse")],
    [25, ask("nsc-1", "nse", { excluded: [prefix("172.16.1.0/32")] })],
    [26, ending("close", "nsc-4", "lan")],
    [27, ask("nsc-4", "lan")],
    [28, ending("close", "nsc-4", "lan")],
    [30, { kind: "define-endpoint", endpoint: "lan", chain: [["shared"]], contextPolicy: "replace" }],
    [31, { kind: "retire-pool", pool: "shared" }],
    [70, { kind: "expire", limit: 100 }],
    [71, { kind: "retire-endpoint", endpoint: "lan" }],
    [72, { kind: "retire-pool", pool: "shared" }],
    [73, pool("p2p", ["172.16.2.0/29"])],
    [74, ask("nsc-1", "nse")],
    [75, { kind: "release-lease", lease: 10 }],
    [76, { kind: "release-lease", lease: 999 }],
    [700, { kind: "open-realm", graceSeconds: 60 }],
    [710, ask("nsc-1", "nse")],
    [2000, ask("nsc-1", "nse")],
    [2100, { kind: "expire", limit: 100 }],
    [2101, ask("nsc-1", "nse")],
    [2102, ending("close", "nsc-1", "nse")],
    [2103, ask("nsc-1", "nse")],
    [2104, { kind: "retire-endpoint", endpoint: "gone" }],
    [2105, { kind: "close", endpoint: "nse", client: { name: "", id: "" }, connection: "" }],
    [2200, pool("no name", ["10.1.0.0/24"])],
    [2200, pool("delegating", ["10.1.0.0/24"], { mode: "prefix" })],
    [2200, pool("held-back", ["10.0.0.0/8"], { reserved: Array.from({ length: 1025 }, (_, i) => prefix(`10.0.${i >> 8}.${i & 255}/32`)) })],
    [2200, pool("timeless", ["10.1.0.0/24"], { leaseSeconds: 0 })],
    [2200, pool("both", ["10.1.0.0/24", "fd01::/64"])],
    [2200, pool("long", [], { prefixes: [{ address: address("10.1.0.0"), length: 33 }] })],
    [2200, pool("twice", ["10.1.0.0/24", "10.1.0.128/25"])],
    [2200, pool("aside", ["10.1.0.0/24"], { reserved: [prefix("10.2.0.1/32")] })],
    [2200, pool("p2p", ["172.16.2.0/29"], { mode: "single" })],
    [2200, { kind: "retire-pool", pool: "nowhere" }],
    [2201, pool("spare", ["fd01::/120"], { mode: "single" })],
    [2201, { kind: "define-endpoint", endpoint: "backup", chain: [["spare"], ["p2p", "six"]], contextPolicy: "append" }],
    [2202, { kind: "retire-pool", pool: "spare" }],
    [2202, { kind: "define-endpoint", endpoint: "none", chain: [], contextPolicy: "replace" }],
    [2202, { kind: "define-endpoint", endpoint: "same", chain: [["spare"], ["p2p", "spare"]], contextPolicy: "replace" }],
    [2203, ask("nsc-1", "nse"), excludedCount],
    [2203, ask("nsc-1", "nse"), itemCount],
    [2203, ask("nsc-1", "nse", { excluded: [prefix("10.0.0.0/8")] }), rangeTurnedRound],
    [2203, ask("nsc-1", "nse", { items: [item("src-address", "10.0.0.1", 32)] }), noSuchPlace],
    [2203, { kind: "expire", limit: 1 }, noSuchKind],
    [2204, pool("p2p", ["172.16.2.0/29"], { reserved: [prefix("172.16.2.1/32")] })],
    [2205, ask("nsc-1", "nse", { items: claim("172.16.2.1", "172.16.2.0") })],
    [
      2206,
      ask("nsc-1", "nse", {
        reselect: true,
        items: [
          item("dst-address", "192.0.2.1", 32),
          item("dst-address", "172.16.2.2", 32),
          item("src-route", "172.16.2.4", 32),
          item("src-route", "198.51.100.0", 24),
          item("src-route-next-hop", "172.16.2.6", 32),
          item("dst-route-next-hop", "172.16.2.6", 32),
          item("policy-from", "172.16.2.6", 32),
          item("policy-next-hop", "192.0.2.1", 32),
        ],
      }),
    ],
    [2207, ask("nsc-20", "backup", { items: [item("src-address", "fd01::9", 120), item("src-address", "172.16.1.1", 32)] })],
    [2208, ask("nsc-21", "backup", { excluded: [prefix("fd01::/127"), prefix("172.16.0.0/14")] })],
    [2209, { kind: "define-endpoint", endpoint: "backup", chain: [["spare"], ["p2p", "six"]], contextPolicy: "append" }],
    [2210, { kind: "expire", limit: 1 }],
    [8.1e12, { kind: "expire", limit: 1 }],
  ] as const
).map(([seconds, command, spoil]) => ({ now: Math.min(start + seconds * 1000, 8.1e15), command: command as Command, ...(spoil && { spoil }) }));
