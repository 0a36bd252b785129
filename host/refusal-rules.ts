/**
 * The core's rules in words, by their numbers in `assembly/refusal.ts`: a stable name, the field of the
 * request it is about, and what it asks for. Most of them the host checks before; a caller sees them here
 * when two hosts differ or the core knows better.
 */
export interface RefusalRule {
  readonly name: string;
  /** Path in the request's body or query; empty if it is about none. */
  readonly field: string;
  /** What must be so, to stand behind "The core refuses this: ". */
  readonly demand: string;
}

const rule = (name: string, field: string, demand: string): RefusalRule => ({ name, field, demand });

const rules: Readonly<Record<number, RefusalRule>> = {
  1: rule("name", "", "a name has 1 to 64 letters, digits, dots, underscores or hyphens"),
  2: rule("mode-served", "mode", "a pool's mode is pair or single, an endpoint's contextPolicy replace or append"),
  3: rule("prefixes-count", "prefixes", "a pool has 1 to 256 prefixes"),
  4: rule("reserved-count", "reserved", "a pool has at most 1024 reserved prefixes"),
  5: rule("seconds", "leaseSeconds", "a lease lasts 1 to 31536000 seconds, grace and cool-down 0 to 31536000"),
  6: rule("one-family", "prefixes", "a pool's prefixes and reserved addresses are of one family"),
  7: rule("prefix-length", "prefixes", "a prefix is not longer than its family's addresses"),
  8: rule("host-bits", "prefixes", "no bits are set behind a prefix's length"),
  9: rule("prefixes-disjoint", "prefixes", "a pool's prefixes do not overlap each other"),
  10: rule("pools-disjoint", "prefixes", "pools do not overlap each other"),
  11: rule("reserved-inside", "reserved", "what is reserved lies inside one of the pool's prefixes"),
  12: rule("revision", "", "the revision is the one the request names"),
  13: rule("mode-in-use", "mode", "mode and family do not change under leases"),
  14: rule("pool-known", "pool", "the pool exists"),
  15: rule("pool-empty", "", "a pool is retired when nothing in it is leased or cools down"),
  16: rule("pool-unchained", "", "a pool is retired when no endpoint's chain names it"),
  17: rule("endpoint-known", "endpoint", "the endpoint exists"),
  18: rule("chain-size", "chain", "a chain has 1 to 16 groups of 1 to 16 pools"),
  19: rule("pool-once", "chain", "a pool appears once in a chain"),
  20: rule(
    "identity",
    "connection.path.pathSegments[0]",
    "a client's name has at most 255 bytes, its id 1 to 255, a connection's id at most 255",
  ),
  21: rule("excluded-count", "connection.context.ipContext.excludedPrefixes", "at most 16384 prefixes are excluded"),
  22: rule("excluded-range", "connection.context.ipContext.excludedPrefixes", "an excluded prefix is one"),
  23: rule("context-item", "connection.context.ipContext", "an address of the context is one"),
  24: rule("in-time", "", "a lease is refreshed before it runs out"),
  25: rule("room", "", "a pool has free addresses"),
  26: rule("store-room", "", "the log has room for new leases"),
  27: rule("lease-known", "id", "the lease exists and has not ended"),
  28: rule("pools-count", "", "a realm has at most 4096 pools"),
  29: rule("endpoints-count", "", "a realm has at most 65535 endpoints"),
  30: rule("memory", "", "the core has memory for it"),
  31: rule("command-form", "", "the command is well formed"),
  32: rule("items-count", "connection.context.ipContext", "a context names at most 1024 addresses"),
  33: rule("utf8", "", "texts are UTF-8"),
  34: rule("time", "", "a command comes at 8,000,000,000,000,000 ms since 1970 at the latest"),
};

/** The rule of a number; one that is not known yet keeps its number as its name. */
export function refusalRule(number: number): RefusalRule {
  return rules[number] ?? rule(`core-${number}`, "", `it keeps rule ${number}`);
}
