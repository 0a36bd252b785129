/** What a client's own context says it had, as candidates: a hint, believed only where nobody can be hurt. */
import type { ContextItem, ContextPlace } from "#events/command.js";
import { type Point, pointOf } from "./address.js";
import { type Pool, type State, poolNamed, prefixAt } from "./state.js";

/** In the context's order; whether they are free is not looked at here. */
export function claimsOf(state: State, pool: Pool, items: readonly ContextItem[]): readonly { dst: Point; src: Point }[] {
  const inPool = (place: ContextPlace): Point[] =>
    items.filter((item) => item.place === place).map((item) => pointOf(item.address)).filter((point) => prefixAt(pool, point) !== undefined);
  const sources = inPool("src-address");
  if (pool.mode === "single") return sources.map((src) => ({ dst: src, src }));
  const destinations = inPool("dst-address");
  const count = Math.min(sources.length, destinations.length);
  const candidates = Array.from({ length: count }, (_, k) => ({ dst: destinations[k]!, src: sources[k]! }));
  return candidates.filter((candidate) => !tearsPair(state, candidate));
}

/** True if someone had one of the two with another mate: two old pairs must not be mixed into a new one. */
function tearsPair(state: State, { dst, src }: { dst: Point; src: Point }): boolean {
  return state.records
    .filter((record) => record.status === "ended" && !record.stolen && poolNamed(state, record.pool).mode === "pair")
    .some((record) => {
      const pair = [record.dst, record.src];
      return pair.includes(dst) !== pair.includes(src);
    });
}
