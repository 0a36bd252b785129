/**
 * Random scripts. A draft says what to do in small numbers; which connection, addresses and revisions it
 * means is looked up when it is played, so that a shrunk script still means something.
 */
import fc from "fast-check";
import type { ContextPlace } from "#events/command.js";
import { ADDRESSES, CLIENTS, ENDPOINTS, EXCLUSIONS, type Family, POOLS } from "./universe.js";

/** `same`: the one in use; `new`: a fresh one; `old`: the one before. */
export type ConnectionChoice = "same" | "new" | "old";
export type RevisionChoice = "any" | "right" | "wrong" | "absent";

export interface ItemDraft {
  readonly place: ContextPlace;
  /** Of a lease some client holds or held, or of the universe's list. */
  readonly of: "lease-dst" | "lease-src" | "list";
  readonly index: number;
  readonly mask: "full" | "24" | "pool";
}

export type ContextChoice = "empty" | "last" | "stale" | "other";

export interface PoolDraft {
  readonly kind: "pool";
  readonly pool: number;
  readonly mode: "pair" | "single";
  readonly family: Family;
  readonly prefixes: readonly number[];
  readonly reserved: readonly number[];
  readonly leaseSeconds: number;
  readonly graceSeconds: number;
  readonly cooldownSeconds: number;
  readonly draining: boolean;
  readonly revision: RevisionChoice;
}

/** A change to the pool as it is now. */
export interface TweakDraft {
  readonly kind: "tweak";
  readonly pool: number;
  readonly what: "drain" | "undrain" | "reserve" | "reserve-leased" | "unreserve" | "grow" | "shrink" | "replace" | "times" | "mode" | "same";
  readonly index: number;
  readonly revision: RevisionChoice;
}

export interface RequestDraft {
  readonly kind: "request";
  /** Comes from whoever holds the record with this index, at its endpoint: `client` and `endpoint` count if nobody does. */
  readonly holder: number | undefined;
  readonly client: number;
  readonly endpoint: number;
  readonly connection: ConnectionChoice;
  readonly reselect: boolean;
  readonly knownOnly: boolean;
  readonly excluded: readonly number[];
  /** Excludes an address this client has. */
  readonly excludeOwn: boolean;
  readonly context: ContextChoice;
  /** Brings neighbouring addresses of a pool of the chain along, as a client of an earlier life would. */
  readonly claim: number | undefined;
  readonly items: readonly ItemDraft[];
}

export type Draft =
  | PoolDraft
  | TweakDraft
  | { readonly kind: "retire-pool"; readonly pool: number; readonly revision: RevisionChoice }
  | { readonly kind: "endpoint"; readonly endpoint: number; readonly chain: readonly (readonly number[])[]; readonly append: boolean; readonly revision: RevisionChoice }
  | { readonly kind: "retire-endpoint"; readonly endpoint: number; readonly revision: RevisionChoice }
  | RequestDraft
  | { readonly kind: "close" | "cancel"; readonly client: number; readonly endpoint: number; readonly connection: ConnectionChoice }
  | { readonly kind: "release"; readonly index: number }
  | { readonly kind: "expire"; readonly limit: number };

export interface TimedDraft {
  /** Milliseconds since the draft before; a clock may go back. */
  readonly after: number;
  readonly draft: Draft;
}

/** What becomes of a batch that was submitted together. */
export type Fate = "commit" | "abort" | "commit-first";

export type Step =
  | { readonly kind: "batch"; readonly drafts: readonly TimedDraft[]; readonly fate: Fate }
  | { readonly kind: "reopen"; readonly how: "replay" | "snapshot" | "stay"; readonly away: number; readonly graceSeconds: number };

export interface Script {
  readonly steps: readonly Step[];
}

const pool = fc.nat({ max: POOLS.length - 1 });
// Some are busier than others, so that scripts have histories and not only first meetings.
const endpoint = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat({ max: ENDPOINTS.length - 1 }) });
const client = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat({ max: CLIENTS.length - 1 }) });
const index = fc.nat({ max: 63 });

function weighted<T>(...choices: readonly (readonly [number, T])[]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}

const revision: fc.Arbitrary<RevisionChoice> = weighted([12, "any"], [2, "right"], [1, "wrong"], [1, "absent"]);
const connection: fc.Arbitrary<ConnectionChoice> = weighted([6, "same"], [3, "new"], [2, "old"]);
const after: fc.Arbitrary<number> = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 2000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 2000, max: 40_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 40_000, max: 300_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -5000, max: -1 }) },
);
// Pools 0 to 2 lean to IPv4, the last to IPv6, so that chains mix.
const familyOf = (number: number): fc.Arbitrary<Family> => weighted<Family>([number < 3 ? 7 : 1, 4], [number < 3 ? 1 : 7, 6]);

const poolDraft: fc.Arbitrary<PoolDraft> = pool.chain((number) =>
  fc.record({
    kind: fc.constant("pool" as const),
    pool: fc.constant(number),
    mode: weighted<"pair" | "single">([2, "pair"], [1, "single"]),
    family: familyOf(number),
    prefixes: fc.oneof({ weight: 4, arbitrary: fc.uniqueArray(fc.nat({ max: 9 }), { minLength: 1, maxLength: 2 }) }, { weight: 1, arbitrary: fc.array(fc.nat({ max: 9 }), { maxLength: 3 }) }),
    reserved: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.nat({ max: 4 }), { maxLength: 2 }) }),
    leaseSeconds: fc.constantFrom(60, 5, 20, 600),
    graceSeconds: fc.constantFrom(0, 10, 100),
    cooldownSeconds: fc.constantFrom(0, 0, 15, 100),
    draining: weighted([9, false], [1, true]),
    revision,
  }),
);

const tweakDraft: fc.Arbitrary<TweakDraft> = fc.record({
  kind: fc.constant("tweak" as const),
  pool,
  what: fc.constantFrom("drain", "undrain", "reserve", "reserve-leased", "reserve-leased", "unreserve", "grow", "shrink", "replace", "times", "mode", "same"),
  index,
  revision,
});

const places: readonly ContextPlace[] = [
  "src-address", "dst-address", "src-route", "dst-route", "src-route-next-hop", "dst-route-next-hop", "policy-from", "policy-next-hop",
];

const itemDraft: fc.Arbitrary<ItemDraft> = fc.record({
  place: fc.oneof(fc.constantFrom<ContextPlace>("src-address", "dst-address"), fc.constantFrom(...places)),
  of: fc.constantFrom("lease-dst", "lease-src", "list"),
  index: fc.nat({ max: ADDRESSES.length - 1 }),
  mask: weighted<ItemDraft["mask"]>([6, "full"], [1, "24"], [1, "pool"]),
});

const requestDraft: fc.Arbitrary<RequestDraft> = fc.record({
  kind: fc.constant("request" as const),
  holder: fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: index }),
  client,
  endpoint,
  connection,
  reselect: weighted([6, false], [1, true]),
  knownOnly: weighted([12, false], [1, true]),
  excluded: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(fc.nat({ max: EXCLUSIONS.length - 1 }), { maxLength: 3 }) }),
  excludeOwn: weighted([5, false], [1, true]),
  context: weighted<ContextChoice>([4, "empty"], [4, "last"], [2, "stale"], [2, "other"]),
  claim: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: index }),
  items: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(itemDraft, { maxLength: 6 }) }),
});

const endpointDraft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.constant("endpoint" as const),
  endpoint,
  chain: fc.oneof(
    { weight: 6, arbitrary: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }).chain((pools) => fc.nat({ max: pools.length - 1 }).map((cut) => [pools.slice(0, cut), pools.slice(cut)].filter((group) => group.length > 0))) },
    { weight: 1, arbitrary: fc.array(fc.array(pool, { maxLength: 2 }), { maxLength: 3 }) },
  ),
  append: weighted([2, false], [1, true]),
  revision,
});

const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 24, arbitrary: requestDraft },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("close" as const), client, endpoint, connection }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("cancel" as const), client, endpoint, connection }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("release" as const), index }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("expire" as const), limit: fc.constantFrom(1000, 1, 2) }) },
  { weight: 3, arbitrary: poolDraft },
  { weight: 7, arbitrary: tweakDraft },
  { weight: 2, arbitrary: endpointDraft },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("retire-pool" as const), pool, revision }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("retire-endpoint" as const), endpoint: fc.nat({ max: ENDPOINTS.length - 1 }), revision }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      drafts: fc.array(fc.record({ after, draft }), { minLength: 1, maxLength: 4 }),
      fate: weighted<Fate>([6, "commit"], [1, "abort"], [1, "commit-first"]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("reopen" as const),
      how: fc.constantFrom("replay", "snapshot", "stay"),
      away: fc.oneof(fc.nat({ max: 5000 }), fc.integer({ min: 5000, max: 400_000 })),
      graceSeconds: fc.constantFrom(30, 0, 200),
    }),
  },
);

/** The first so many of a pool's candidates are its own in either family, so that the opening cannot be refused. */
const OWN_PREFIXES = 6;

/** A world to begin with, in which requests can succeed; the rest of the script changes it. */
const opening: fc.Arbitrary<Step> = fc
  .record({
    pools: fc.tuple(...POOLS.map((_, number) => poolDraft.map((one): PoolDraft => ({ ...one, pool: number, prefixes: [(one.prefixes[0] ?? 0) % OWN_PREFIXES], reserved: [], revision: "any" })))),
    chains: fc.tuple(...ENDPOINTS.map(() => endpointDraft)),
  })
  .map(({ pools, chains }) => ({
    kind: "batch" as const,
    fate: "commit" as const,
    drafts: [...pools, ...chains.map((one, number) => ({ ...one, endpoint: number, revision: "any" as const }))].map((one) => ({ after: 0, draft: one as Draft })),
  }));

/** Scripts of up to `steps` steps behind the opening. */
export function scripts(steps: number): fc.Arbitrary<Script> {
  return fc.tuple(opening, fc.array(step, { maxLength: steps, size: "max" })).map(([first, rest]) => ({ steps: [first, ...rest] }));
}
