import { parseAddress, parsePrefix } from "#events/address.js";
import type { Address, Prefix } from "#events/address.js";
import type { Command, RequestLease } from "#events/command.js";

/** One command of the golden script, and the time it comes at. */
export interface Step {
  readonly now: number;
  readonly command: Command;
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

/** Every event type and every refusal that does not need an exhausted memory, in the order they can happen. */
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
  ] as const
).map(([seconds, command]) => ({ now: start + seconds * 1000, command: command as Command }));
