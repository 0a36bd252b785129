/** What must hold in every state, whoever computed it. Works on what a reader shows, so that it can judge both. */
import type { Command, Outcome } from "#events/command.js";
import type { CanonicalState } from "../model/canonical.js";
import type { Model } from "../model/model.js";
import { contains, familyOf, overlaps, parsePoint, parseRange } from "../model/address.js";
import type { LeaseView, PoolView } from "#events/realm-api.js";
import { Disagreement } from "./compare.js";

function hold(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Disagreement(`broken: ${what}`);
}

export function checkState(state: CanonicalState): void {
  const pools = new Map(state.pools.map((pool) => [pool.pool, pool]));
  const holding = state.leases.filter((lease) => lease.state !== "ended");
  checkAddressesApart(holding, pools);
  checkOnePerClientAndPool(state.leases);
  checkPrefixesApart(state.pools);
  for (const pool of state.pools) checkAccounts(pool, holding);
}

/** No address in two leases; only the endpoint address of a `single` pool is shared, and only inside that pool. */
function checkAddressesApart(holding: readonly LeaseView[], pools: ReadonlyMap<string, PoolView>): void {
  const owner = new Map<string, { lease: LeaseView; shared: boolean }>();
  for (const lease of holding) {
    for (const side of ["dst", "src"] as const) {
      const shared = side === "dst" && pools.get(lease.pool)?.mode === "single";
      const known = owner.get(lease[side]);
      const mayShare = known !== undefined && shared && known.shared && known.lease.pool === lease.pool;
      hold(known === undefined || mayShare, `${lease[side]} is in leases ${known?.lease.lease ?? ""} and ${lease.lease}`);
      owner.set(lease[side], { lease, shared });
    }
  }
}

function checkOnePerClientAndPool(leases: readonly LeaseView[]): void {
  const keys = leases.map(({ client, pool }) => JSON.stringify([client.name, client.id, pool]));
  hold(new Set(keys).size === keys.length, "a client has two records in one pool");
}

function checkPrefixesApart(pools: readonly PoolView[]): void {
  const all = pools.flatMap((pool) => pool.prefixes.map(parseRange));
  hold(!all.some((one, i) => all.some((other, k) => k < i && overlaps(one, other))), "two current prefixes overlap");
}

/** Free, held, reserved and broadcast addresses are all there is. Counted one by one where a prefix is small enough. */
function checkAccounts(pool: PoolView, holding: readonly LeaseView[]): void {
  const ranges = pool.prefixes.map(parseRange);
  const size = ranges.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);
  hold(pool.usage.size === String(size), `${pool.pool} has ${size} addresses, not ${pool.usage.size}`);
  if (size > 4096n) return;
  const held = new Set(holding.flatMap(({ dst, src }) => [parsePoint(dst), parsePoint(src)]));
  const reserved = pool.reserved.map(parseRange);
  let free = 0n;
  for (const range of ranges) {
    for (let point = range.first; point <= range.last; point++) {
      const isBroadcast = pool.mode === "single" && familyOf(point) === 4 && point === range.last;
      if (!held.has(point) && !isBroadcast && !reserved.some((block) => contains(block, point))) free++;
    }
  }
  hold(pool.usage.free === String(free), `${pool.pool} has ${free} free addresses, not ${pool.usage.free}`);
}

/** An answer has exactly one lease per group, and asking never gives a client a second one in a group. */
export function checkAnswer(command: Command, outcome: Outcome, modelBefore: Model, modelAfter: Model): void {
  if (command.kind !== "request" || !outcome.ok) return;
  const answer = (outcome as Outcome<typeof command> & { ok: true }).answer;
  const [before, after] = [modelBefore.state(), modelAfter.state()];
  const chain = before.endpoints.find(({ endpoint }) => endpoint === command.endpoint)?.chain ?? [];
  hold(answer.leases.length === chain.length, "not one lease per group");
  answer.leases.forEach((lease, i) => hold(chain[i]!.includes(lease.pool), `lease ${lease.lease} is of a pool of another group`));
  const live = (state: CanonicalState, group: readonly string[]): number =>
    state.leases.filter((lease) => group.includes(lease.pool) && isRunning(lease) && isOf(lease, command.client)).length;
  for (const group of chain) {
    hold(live(after, group) <= Math.max(1, live(before, group)), "the client has one more lease in a group");
    hold(live(after, group) >= 1, "the client has no lease in a group");
  }
}

function isRunning(lease: LeaseView): boolean {
  return lease.state === "live" || lease.state === "expired";
}

function isOf(lease: LeaseView, client: { name: string; id: string }): boolean {
  return lease.client.name === client.name && lease.client.id === client.id;
}
