/**
 * What is free, computed from scratch on every question: walk up from the lowest address of a prefix and
 * jump over whatever is in the way. A /64 costs as many jumps as there are things in it.
 */
import { type Point, type Range, contains, familyOf, isInside } from "./address.js";
import { type Pool, type State, holds } from "./state.js";

/** What a request must not be given besides what others hold. */
export interface Ban {
  /** The request's excluded prefixes. */
  readonly excluded: readonly Range[];
  /** Addresses already chosen within the same answer. */
  readonly chosen: readonly Point[];
}

/** What no lease of this pool may take out of the prefix, reserved and excluded not counted. */
function occupied(state: State, pool: Pool, prefix: Range): Range[] {
  const held = state.records.filter(holds).flatMap((record) => [record.dst, record.src]);
  const hasBroadcast = pool.mode === "single" && familyOf(prefix.first) === 4;
  return [...held, ...(hasBroadcast ? [prefix.last] : [])].map((point) => ({ first: point, last: point }));
}

/** True if the address lies in a prefix of the pool and nobody holds it. */
export function isFree(state: State, pool: Pool, point: Point): boolean {
  const prefix = pool.prefixes.find((candidate) => contains(candidate, point));
  return prefix !== undefined && !occupied(state, pool, prefix).some((range) => contains(range, point));
}

/** Reserved addresses are free, but go to nobody. */
export function isReserved(pool: Pool, point: Point): boolean {
  return pool.reserved.some((range) => contains(range, point));
}

/** The lowest address of the prefix that this request may have; `undefined` if there is none. */
export function lowestFree(state: State, pool: Pool, prefix: Range, ban: Ban): Point | undefined {
  const chosen = ban.chosen.map((point) => ({ first: point, last: point }));
  const obstacles = [...occupied(state, pool, prefix), ...pool.reserved, ...ban.excluded, ...chosen];
  let candidate = prefix.first;
  while (candidate <= prefix.last) {
    const obstacle = obstacles.find((range) => contains(range, candidate));
    if (obstacle === undefined) return candidate;
    candidate = obstacle.last + 1n;
  }
  return undefined;
}

/** How many addresses of the pool are neither held nor reserved nor a broadcast address. */
export function countFree(state: State, pool: Pool): bigint {
  return pool.prefixes.reduce((total, prefix) => {
    const obstacles = [...occupied(state, pool, prefix), ...pool.reserved].filter((range) => isInside(range, prefix));
    return total + (prefix.last - prefix.first + 1n) - countUnion(obstacles);
  }, 0n);
}

/** How many addresses lie in at least one of the ranges. */
function countUnion(ranges: readonly Range[]): bigint {
  let total = 0n;
  let covered = -1n;
  for (const range of [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1))) {
    const first = range.first > covered ? range.first : covered + 1n;
    if (range.last < first) continue;
    total += range.last - first + 1n;
    covered = range.last;
  }
  return total;
}
