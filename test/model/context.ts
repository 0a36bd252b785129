/**
 * An NSM ip_context in the wire's names, taken apart into items for the core and put together again from its
 * answer. As little of the host as the cases need, written apart from it.
 */
import type { AnsweredLease, ContextItem, ContextPlace, RequestAnswer } from "#events/command.js";
import { parsePrefix, pointOf, textOf } from "./address.js";

export interface Route {
  readonly prefix: string;
  readonly next_hop?: string;
}

export interface IpContext {
  readonly src_ip_addrs: readonly string[];
  readonly dst_ip_addrs: readonly string[];
  readonly src_routes: readonly Route[];
  readonly dst_routes: readonly Route[];
  readonly excluded_prefixes: readonly string[];
}

export const EMPTY_CONTEXT: IpContext = { src_ip_addrs: [], dst_ip_addrs: [], src_routes: [], dst_routes: [], excluded_prefixes: [] };

/** One address text of the context with its place, so that its verdict finds the way back. */
interface Slot {
  readonly place: ContextPlace;
  readonly text: string;
}

function slotsOf(context: IpContext): readonly Slot[] {
  const routes = (list: readonly Route[], place: "src-route" | "dst-route"): Slot[] =>
    list.flatMap(({ prefix, next_hop }) => [
      { place, text: prefix },
      ...(next_hop === undefined ? [] : [{ place: `${place}-next-hop` as const, text: next_hop }]),
    ]);
  return [
    ...context.src_ip_addrs.map((text) => ({ place: "src-address" as const, text })),
    ...context.dst_ip_addrs.map((text) => ({ place: "dst-address" as const, text })),
    ...routes(context.src_routes, "src-route"),
    ...routes(context.dst_routes, "dst-route"),
  ];
}

export function itemsOf(context: IpContext): readonly ContextItem[] {
  return slotsOf(context).map(({ place, text }) => ({ place, ...parsePrefix(text) }));
}

/** The context the client gets back. Contexts with next hops are not put together here: no case needs it. */
export function composed(context: IpContext, answer: RequestAnswer): IpContext {
  const kept = (place: ContextPlace): string[] =>
    slotsOf(context).filter((slot, i) => slot.place === place && answer.verdicts[i]?.keep === true).map(({ text }) => text);
  const added = (wanted: (lease: AnsweredLease) => boolean, text: (lease: AnsweredLease) => string): string[] => answer.leases.filter(wanted).map(text);
  const text = (address: AnsweredLease["src"], length: number): string => `${textOf(pointOf(address))}/${length}`;
  const isPair = (lease: AnsweredLease): boolean => lease.mode === "pair";
  const dst = (lease: AnsweredLease): string => text(lease.dst, lease.length);
  const src = (lease: AnsweredLease): string => text(lease.src, lease.length);
  const first = answer.leases[answer.dstFirst];
  const destinations = [...kept("dst-address"), ...added((lease) => isPair(lease) && !lease.present.dst, dst)];
  const front = first === undefined ? [] : [dst(first)];
  const asRoutes = (prefixes: readonly string[]): Route[] => prefixes.map((prefix) => ({ prefix }));
  return {
    src_ip_addrs: [...kept("src-address"), ...added((lease) => !lease.present.src, src)],
    dst_ip_addrs: [...front, ...destinations.filter((one) => !front.includes(one))],
    src_routes: asRoutes([...kept("src-route"), ...added((lease) => isPair(lease) && !lease.present.srcRoute, dst)]),
    dst_routes: asRoutes([...kept("dst-route"), ...added((lease) => isPair(lease) && !lease.present.dstRoute, src)]),
    excluded_prefixes: context.excluded_prefixes,
  };
}
