/** Where a lease may go: two addresses of one prefix, whole or not at all. */
import { type Point, type Range, contains } from "./address.js";
import { isFree, isReserved, lowestFree } from "./free.js";
import { type Pool, type State, prefixAt } from "./state.js";

export interface Place {
  readonly pool: Pool;
  readonly dst: Point;
  readonly src: Point;
}

/** The lowest place in the group: pools in order of preference, prefixes in the order they were configured. */
export function lowestPlace(state: State, group: readonly Pool[], excluded: readonly Range[]): Place | undefined {
  for (const pool of group.filter((candidate) => !candidate.draining)) {
    for (const prefix of pool.prefixes) {
      const dst = pool.mode === "single" ? endpointAddress(state, pool, prefix, excluded, []) : lowestFree(state, pool, prefix, { excluded, chosen: [] });
      if (dst === undefined) continue;
      const src = lowestFree(state, pool, prefix, { excluded, chosen: [dst] });
      if (src !== undefined) return { pool, dst, src };
    }
  }
  return undefined;
}

/** The very addresses asked for (`dst` is not looked at in a `single` pool, whose endpoint address is shared). */
export function placeAt(state: State, pool: Pool, dst: Point, src: Point, excluded: readonly Range[]): Place | undefined {
  const prefix = prefixAt(pool, src);
  if (prefix === undefined || !isGrantable(state, pool, src, excluded)) return undefined;
  if (pool.mode === "single") {
    const shared = endpointAddress(state, pool, prefix, excluded, [src]);
    return shared === undefined ? undefined : { pool, dst: shared, src };
  }
  const isWhole = dst !== src && contains(prefix, dst) && isGrantable(state, pool, dst, excluded);
  return isWhole ? { pool, dst, src } : undefined;
}

function isGrantable(state: State, pool: Pool, point: Point, excluded: readonly Range[]): boolean {
  return isFree(state, pool, point) && !isReserved(pool, point) && !isExcluded(excluded, point);
}

export function isExcluded(excluded: readonly Range[], point: Point): boolean {
  return excluded.some((range) => contains(range, point));
}

/** The NSE's side of a `single` lease: one in use already if this client may see it, else the lowest free address. */
function endpointAddress(state: State, pool: Pool, prefix: Range, excluded: readonly Range[], chosen: readonly Point[]): Point | undefined {
  const inUse = state.endpointAddresses
    .filter((known) => known.pool === pool.name && contains(prefix, known.address))
    .map(({ address }) => address)
    .find((address) => !isReserved(pool, address) && !isExcluded(excluded, address));
  return inUse ?? lowestFree(state, pool, prefix, { excluded, chosen });
}
