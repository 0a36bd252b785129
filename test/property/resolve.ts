/** Turns a draft into the command it means at this point of the script. */
import type { Prefix } from "#events/address.js";
import type { Command, ContextItem, DefinePool } from "#events/command.js";
import { type Point, addressOf, bitsOf, familyOf, lengthOf, parsePrefix, rangeText } from "../model/address.js";
import type { Model } from "../model/model.js";
import { type LeaseRecord, type Pool, isClient } from "../model/state.js";
import type { Memory } from "./memory.js";
import type { Draft, ItemDraft, PoolDraft, RequestDraft, RevisionChoice, TweakDraft } from "./script.js";
import { ADDRESSES, CLIENTS, ENDPOINTS, EXCLUSIONS, POOLS, prefixesOf, reservationsOf } from "./universe.js";

/** The model stands in for what an operator would look up first. */
export function resolve(draft: Draft, model: Model, memory: Memory): Command {
  switch (draft.kind) {
    case "pool":
      return definePool(draft, model);
    case "tweak":
      return tweakPool(draft, model);
    case "retire-pool": {
      const pool = POOLS[draft.pool]!;
      return { kind: "retire-pool", pool, ...ifRevision(draft.revision, model.inside().pools.get(pool)?.revision) };
    }
    case "endpoint": {
      const endpoint = ENDPOINTS[draft.endpoint]!;
      const chain = draft.chain.map((group) => group.map((number) => POOLS[number]!));
      const contextPolicy = draft.append ? "append" : "replace";
      return { kind: "define-endpoint", endpoint, chain, contextPolicy, ...ifRevision(draft.revision, model.inside().endpoints.get(endpoint)?.revision) };
    }
    case "retire-endpoint": {
      const endpoint = ENDPOINTS[draft.endpoint]!;
      return { kind: "retire-endpoint", endpoint, ...ifRevision(draft.revision, model.inside().endpoints.get(endpoint)?.revision) };
    }
    case "request":
      return request(draft, model, memory);
    case "close":
    case "cancel":
      return { kind: draft.kind, endpoint: ENDPOINTS[draft.endpoint]!, client: CLIENTS[draft.client]!, connection: memory.connection(draft.client, draft.connection) };
    case "release":
      return { kind: "release-lease", lease: recordAt(model, draft.index)?.lease ?? draft.index };
    case "expire":
      return { kind: "expire", limit: draft.limit };
  }
}

function ifRevision(choice: RevisionChoice, actual = 0): { ifRevision?: number } {
  if (choice === "any") return {};
  return { ifRevision: { right: actual, wrong: actual + 1, absent: 0 }[choice] };
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list.length === 0 ? undefined : list[index % list.length];
}

function recordAt(model: Model, index: number): LeaseRecord | undefined {
  return pick(model.inside().records, index);
}

function definePool(draft: PoolDraft, model: Model): DefinePool {
  const pool = POOLS[draft.pool]!;
  const { mode, leaseSeconds, graceSeconds, cooldownSeconds, draining } = draft;
  const choose = (list: readonly Prefix[], indexes: readonly number[]): Prefix[] => indexes.map((index) => pick(list, index)!);
  return {
    kind: "define-pool",
    pool,
    mode,
    prefixes: choose(prefixesOf(draft.pool, draft.family), draft.prefixes),
    reserved: choose(reservationsOf(draft.pool, draft.family), draft.reserved),
    leaseSeconds,
    graceSeconds,
    cooldownSeconds,
    draining,
    ...ifRevision(draft.revision, model.inside().pools.get(pool)?.revision),
  };
}

function tweakPool(draft: TweakDraft, model: Model): DefinePool {
  const name = POOLS[draft.pool]!;
  const pool = model.inside().pools.get(name);
  if (pool === undefined) {
    const fresh = { mode: "pair", family: 4, prefixes: [draft.index], reserved: [], leaseSeconds: 60, graceSeconds: 0, cooldownSeconds: 0, draining: false } as const;
    return definePool({ ...fresh, kind: "pool", pool: draft.pool, revision: draft.revision }, model);
  }
  const now = settingsOf(pool);
  return { kind: "define-pool", pool: name, ...now, ...tweaked(draft, pool, now, model), ...ifRevision(draft.revision, pool.revision) };
}

type Settings = Omit<DefinePool, "kind" | "pool" | "ifRevision">;

function settingsOf(pool: Pool): Settings {
  const { mode, leaseSeconds, graceSeconds, cooldownSeconds, draining } = pool;
  const texts = (ranges: Pool["prefixes"]): Prefix[] => ranges.map((range) => parsePrefix(rangeText(range)));
  return { mode, prefixes: texts(pool.prefixes), reserved: texts(pool.reserved), leaseSeconds, graceSeconds, cooldownSeconds, draining };
}

function tweaked(draft: TweakDraft, pool: Pool, now: Settings, model: Model): Partial<Settings> {
  const { index } = draft;
  const family = familyOf(pool.prefixes[0]!.first);
  const others = prefixesOf(draft.pool, family);
  // Dropping one prefix leaves reservations outside: the operator takes them back as well.
  const within = (prefixes: readonly Prefix[]): Pick<Settings, "prefixes" | "reserved"> => ({ prefixes, reserved: index % 8 === 7 ? now.reserved : [] });
  switch (draft.what) {
    case "drain":
      return { draining: true };
    case "undrain":
      return { draining: false };
    case "reserve":
      return { reserved: [...now.reserved, pick(reservationsOf(draft.pool, family), index)!] };
    case "reserve-leased": {
      const record = pick(model.inside().records.filter((one) => one.pool === pool.name), index);
      return record === undefined ? {} : { reserved: [...now.reserved, whole(record.src)] };
    }
    case "unreserve":
      return { reserved: now.reserved.slice(1) };
    case "grow":
      return { prefixes: [...now.prefixes, pick(others, index)!] };
    case "shrink":
      return now.prefixes.length < 2 ? halved(now.prefixes[0]!, pool, within) : within(now.prefixes.filter((_, i) => i !== index % now.prefixes.length));
    case "replace":
      return within([pick(others, index)!]);
    case "times":
      return { leaseSeconds: [5, 60, 600][index % 3]!, graceSeconds: [0, 10][index % 2]!, cooldownSeconds: [0, 15][(index >> 2) % 2]! };
    case "mode":
      return { mode: pool.mode === "pair" ? "single" : "pair" };
    case "same":
      return {};
  }
}

function halved(prefix: Prefix, pool: Pool, within: (prefixes: readonly Prefix[]) => Partial<Settings>): Partial<Settings> {
  const bits = bitsOf(pool.prefixes[0]!.first);
  return prefix.length >= bits ? {} : within([{ address: prefix.address, length: prefix.length + 1 }]);
}

/** Which client asks at which endpoint, as numbers of the universe. */
export function whoAsks(draft: RequestDraft, model: Model): { client: number; endpoint: number } {
  const { client, endpoint, holder } = draft;
  const record = holder === undefined ? undefined : recordAt(model, holder);
  if (record === undefined) return { client, endpoint };
  return {
    client: CLIENTS.findIndex((one) => isClient(one, record.client)),
    endpoint: ENDPOINTS.findIndex((name) => name === record.endpoint),
  };
}

function request(draft: RequestDraft, model: Model, memory: Memory): Command {
  const who = whoAsks(draft, model);
  const endpoint = ENDPOINTS[who.endpoint]!;
  const client = CLIENTS[who.client]!;
  const own = model.inside().records.filter((record) => isClient(record.client, client));
  const hit = draft.excludeOwn ? pick(own, draft.endpoint) : undefined;
  return {
    kind: "request",
    endpoint,
    client,
    connection: memory.connection(who.client, draft.connection),
    reselect: draft.reselect,
    knownOnly: draft.knownOnly,
    excluded: [...draft.excluded.map((index) => EXCLUSIONS[index]!), ...(hit === undefined ? [] : [whole(hit.src)])],
    items: [...memory.context(who.client, draft.context), ...claim(draft, endpoint, model), ...draft.items.map((item) => contextItem(item, model))],
  };
}

function whole(point: Point): Prefix {
  return { address: addressOf(point), length: bitsOf(point) };
}

function claim(draft: RequestDraft, endpoint: string, model: Model): readonly ContextItem[] {
  if (draft.claim === undefined) return [];
  const names = model.inside().endpoints.get(endpoint)?.chain.flat() ?? [];
  const prefix = pick(names.flatMap((name) => model.inside().pools.get(name)?.prefixes ?? []), draft.claim);
  if (prefix === undefined) return [];
  const dst = prefix.first + BigInt(2 * (draft.claim >> 3));
  return [{ place: "dst-address", ...whole(dst) }, { place: "src-address", ...whole(dst + 1n) }];
}

function contextItem(draft: ItemDraft, model: Model): ContextItem {
  const record = recordAt(model, draft.index);
  const point = draft.of === "list" || record === undefined ? ADDRESSES[draft.index]! : draft.of === "lease-dst" ? record.dst : record.src;
  return { place: draft.place, address: addressOf(point), length: lengthFor(draft, model, record, point) };
}

function lengthFor(draft: ItemDraft, model: Model, record: LeaseRecord | undefined, point: Point): number {
  if (draft.mask === "full") return bitsOf(point);
  const pool = record === undefined ? undefined : model.inside().pools.get(record.pool);
  return draft.mask === "24" || pool === undefined ? 24 : lengthOf(pool.prefixes[0]!);
}
