/**
 * What becomes of each item the client brought along, and what of the answer is there already.
 *
 * `replace`: an address of this realm stays only where it is the answer's own, each once. What this realm
 * never issued is the client's and is left alone. `append`: everything stays, except what a lease that
 * moved just now has lost.
 */
import type { AnsweredLease, ContextItem, ContextPolicy, RequestAnswer, Verdict } from "#events/command.js";
import { type Point, bitsOf, familyOf, pointOf } from "./address.js";
import type { Lease } from "./request.js";
import { type State, prefixAt } from "./state.js";

const KEEP: Verdict = { keep: true };
const DROP: Verdict = { keep: false };

type Presence = { -readonly [K in keyof AnsweredLease["present"]]: boolean };

interface Answered {
  readonly lease: Lease;
  readonly dst: Point;
  readonly src: Point;
  readonly isPair: boolean;
  readonly present: Presence;
}

export function judge(state: State, policy: ContextPolicy, leases: readonly Lease[], items: readonly ContextItem[]): RequestAnswer {
  const answer = leases.map((lease): Answered => ({
    lease,
    dst: pointOf(lease.shown.dst),
    src: pointOf(lease.shown.src),
    isPair: lease.shown.mode === "pair",
    present: { src: false, dst: false, srcRoute: false, dstRoute: false },
  }));
  const verdicts = items.map((item) => {
    const isFirst = markPresent(answer, item);
    return policy === "append" ? appendVerdict(answer, item) : replaceVerdict(state, answer, item, isFirst);
  });
  return {
    leases: answer.map(({ lease, present }) => ({ ...lease.shown, present })),
    verdicts,
    dstFirst: policy === "append" ? -1 : firstDestination(answer, items, verdicts),
  };
}

/** True if the item is the first that spells an answered address or route exactly as the answer does. */
function markPresent(answer: readonly Answered[], item: ContextItem): boolean {
  const point = pointOf(item.address);
  const mark = (key: keyof Presence, match: (one: Answered) => boolean): boolean => {
    const found = answer.find((one) => match(one) && !one.present[key]);
    if (found !== undefined) found.present[key] = true;
    return found !== undefined;
  };
  switch (item.place) {
    case "src-address":
      return mark("src", ({ src, lease }) => src === point && lease.shown.length === item.length);
    case "dst-address":
      return mark("dst", ({ dst, lease, isPair }) => isPair && dst === point && lease.shown.length === item.length);
    case "src-route":
      return mark("srcRoute", ({ dst, isPair }) => isPair && dst === point && item.length === bitsOf(point));
    case "dst-route":
      return mark("dstRoute", ({ src, isPair }) => isPair && src === point && item.length === bitsOf(point));
    default:
      return false;
  }
}

/** The addresses the answer shows: the shared endpoint address of `single` is not told. */
function shown(answer: readonly Answered[]): readonly Point[] {
  return answer.flatMap(({ dst, src, isPair }) => (isPair ? [dst, src] : [src]));
}

function isOurs(state: State, point: Point): boolean {
  return state.everIssued.has(point) || [...state.pools.values()].some((pool) => prefixAt(pool, point) !== undefined);
}

function isShorterRoute(item: ContextItem): boolean {
  return (item.place === "src-route" || item.place === "dst-route") && item.length < bitsOf(pointOf(item.address));
}

function replaceVerdict(state: State, answer: readonly Answered[], item: ContextItem, isFirst: boolean): Verdict {
  const point = pointOf(item.address);
  if (isFirst || isShorterRoute(item) || !isOurs(state, point)) return KEEP;
  const rewrite = (side: "dst" | "src", match: (one: Answered) => boolean): Verdict => {
    const lease = answer.findIndex((one) => match(one) && familyOf(one.src) === familyOf(point));
    return lease < 0 ? DROP : { keep: true, rewrite: side, lease };
  };
  switch (item.place) {
    case "src-route-next-hop":
    case "policy-next-hop":
      return shown(answer).includes(point) ? KEEP : rewrite("dst", ({ isPair }) => isPair);
    case "dst-route-next-hop":
      return shown(answer).includes(point) ? KEEP : rewrite("src", () => true);
    case "policy-from":
      return answer.some(({ src }) => src === point) ? KEEP : rewrite("src", () => true);
    default:
      return DROP;
  }
}

function appendVerdict(answer: readonly Answered[], item: ContextItem): Verdict {
  const isAddressOrRoute = ["src-address", "dst-address", "src-route", "dst-route"].includes(item.place);
  if (!isAddressOrRoute || isShorterRoute(item)) return KEEP;
  const point = pointOf(item.address);
  const lost = answer.flatMap(({ lease }) => lease.lost);
  return lost.includes(point) && !shown(answer).includes(point) ? DROP : KEEP;
}

/** A pinger reads only the first destination: one that nobody answers for must not stand there. */
function firstDestination(answer: readonly Answered[], items: readonly ContextItem[], verdicts: readonly Verdict[]): number {
  const kept = items.filter((item, i) => item.place === "dst-address" && verdicts[i]!.keep);
  const isAnswered = (item: ContextItem): boolean => answer.some(({ dst, isPair }) => isPair && dst === pointOf(item.address));
  const startsForeign = kept.length > 0 && !isAnswered(kept[0]!);
  return startsForeign ? answer.findIndex(({ isPair }) => isPair) : -1;
}
