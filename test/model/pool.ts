/** Pools: what may be defined, changed and retired. */
import type { AnswerOf, DefinePool, RetirePool } from "#events/command.js";
import { type Range, familyOf, hasHostBits, isInside, overlaps, rangeOf } from "./address.js";
import type { Decision } from "./decision.js";
import { checkCount, checkName, checkNumber, checkRevision, refuse } from "./refusal.js";
import { settingsOf } from "./spelling.js";
import { type Pool, type State, holds, isLive, poolNamed, prefixAt } from "./state.js";

const POOLS_MAX = 4096;

export function definePool(decision: Decision, command: DefinePool): AnswerOf["define-pool"] {
  const { state } = decision;
  const wanted = checked(command);
  refuseOverlap(state, command.pool, wanted.prefixes);
  if (!wanted.reserved.every((range) => wanted.prefixes.some((prefix) => isInside(range, prefix)))) refuse("invalid", { subject: command.pool });
  const old = state.pools.get(command.pool);
  checkRevision(command.ifRevision, old?.revision ?? 0, command.pool);
  const after = settingsOf(wanted);
  if (old === undefined) {
    if (state.pools.size >= POOLS_MAX) refuse("too-large");
    decision.emit("pool-defined", { pool: command.pool, ...after });
    return { created: true, changed: true, revision: state.position, outside: 0 };
  }
  const before = settingsOf(old);
  if (JSON.stringify(before) === JSON.stringify(after)) {
    return { created: false, changed: false, revision: old.revision, outside: countOutside(state, old) };
  }
  const isOtherKind = old.mode !== wanted.mode || familyOf(old.prefixes[0]!.first) !== familyOf(wanted.prefixes[0]!.first);
  if (isOtherKind) refuseHolding(state, old);
  decision.emit("pool-changed", { pool: command.pool, before, after });
  return { created: false, changed: true, revision: state.position, outside: countOutside(state, poolNamed(state, command.pool)) };
}

function checked(command: DefinePool): Omit<Pool, "name" | "revision"> {
  checkName(command.pool);
  checkCount(command.prefixes.length, 1, 256);
  checkCount(command.reserved.length, 0, 1024);
  checkNumber(command.leaseSeconds, 1, 31_536_000);
  checkNumber(command.graceSeconds, 0, 31_536_000);
  checkNumber(command.cooldownSeconds, 0, 31_536_000);
  const { mode } = command;
  if (mode === "prefix") refuse("invalid", { subject: command.pool });
  const family = command.prefixes[0]!.address.family;
  if (command.prefixes.some(({ address }) => address.family !== family)) refuse("invalid", { subject: command.pool });
  if ([...command.prefixes, ...command.reserved].some(hasHostBits)) refuse("invalid", { subject: command.pool });
  const prefixes = command.prefixes.map(rangeOf);
  if (prefixes.some((prefix, i) => prefixes.some((other, k) => k < i && overlaps(prefix, other)))) refuse("invalid", { subject: command.pool });
  const { leaseSeconds, graceSeconds, cooldownSeconds, draining } = command;
  return { mode, prefixes, reserved: command.reserved.map(rangeOf), leaseSeconds, graceSeconds, cooldownSeconds, draining };
}

function refuseOverlap(state: State, name: string, prefixes: readonly Range[]): void {
  const others = [...state.pools.values()].filter((pool) => pool.name !== name);
  for (const prefix of prefixes) {
    const hits = others.flatMap((pool) => pool.prefixes.filter((other) => overlaps(other, prefix)).map((other) => ({ pool, other })));
    const lowest = hits.sort((a, b) => (a.other.first < b.other.first ? -1 : 1))[0];
    if (lowest !== undefined) refuse("pool-overlap", { subject: lowest.pool.name, prefix: lowest.other });
  }
}

/** Live leases with an address that none of the pool's present prefixes holds: they move at their client's next request. */
export function countOutside(state: State, pool: Pool): number {
  const isOutside = (record: { dst: bigint; src: bigint }): boolean => [record.dst, record.src].some((point) => prefixAt(pool, point) === undefined);
  return state.records.filter((record) => isLive(record) && record.pool === pool.name && isOutside(record)).length;
}

function refuseHolding(state: State, pool: Pool): void {
  const count = state.records.filter((record) => holds(record) && record.pool === pool.name).length;
  if (count > 0) refuse("in-use", { subject: pool.name, count });
}

export function retirePool(decision: Decision, command: RetirePool): AnswerOf["retire-pool"] {
  const { state } = decision;
  const pool = state.pools.get(command.pool) ?? refuse("not-found", { subject: command.pool });
  checkRevision(command.ifRevision, pool.revision, pool.name);
  refuseHolding(state, pool);
  const user = [...state.endpoints.values()].filter((endpoint) => endpoint.chain.flat().includes(pool.name)).sort((a, b) => a.revision - b.revision)[0];
  if (user !== undefined) refuse("in-use", { subject: pool.name, other: user.name });
  decision.emit("pool-retired", { pool: pool.name, ...settingsOf(pool) });
  return { revision: state.position };
}
