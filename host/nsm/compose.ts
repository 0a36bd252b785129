/**
 * Puts the answer together: the client's own connection, its ip_context as the core judged it, and the
 * leases. Decides nothing; every keep, drop and rewrite is a verdict of the core.
 */
import { addressBits, formatAddress, formatPrefix, parsePrefix } from "../../events/address.js";
import type { AnsweredLease, RequestAnswer, Verdict } from "../../events/command.js";
import type { ConnectionMessage, IPContextMessage, PolicyRouteMessage, RouteMessage } from "./messages.js";
import { hasText } from "./read-request.js";

const keep: Verdict = { keep: true };

/**
 * The Connection to answer with: `message`, the one asked with, whose ip_context is replaced. It is changed
 * in place, being ours since it was parsed; copying it costs more than everything else here.
 */
export function composeConnection(message: ConnectionMessage, answer: RequestAnswer): ConnectionMessage {
  const owned = message as Mutable<ConnectionMessage>;
  const context = (owned.context ??= {}) as Mutable<NonNullable<ConnectionMessage["context"]>>;
  composeContext((context.ipContext ??= {}) as Mutable<IPContextMessage>, answer);
  return owned;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Texts {
  readonly src: string;
  /** Empty in `single` mode: NSM does not tell the client the endpoint's address there. */
  readonly dst: string;
  readonly srcRoute: string;
  readonly dstRoute: string;
}

function textsOf(lease: AnsweredLease): Texts {
  const src = formatAddress(lease.src);
  const full = addressBits(lease.src.family);
  if (lease.mode === "single") return { src: `${src}/${lease.length}`, dst: "", srcRoute: "", dstRoute: "" };
  const dst = `${formatAddress(lease.dst)}/${full}`;
  return { src: `${src}/${lease.length}`, dst, srcRoute: dst, dstRoute: `${src}/${full}` };
}

function composeContext(context: Mutable<IPContextMessage>, answer: RequestAnswer): void {
  const { leases, verdicts } = answer;
  let cursor = 0;
  // The same order as in `readItems`: one verdict for each address there.
  const next = (): Verdict => verdicts[cursor++] ?? keep;

  /** The text to keep in place of `text`, undefined to drop it. */
  const judge = (text: string): string | undefined => {
    const verdict = next();
    if (!verdict.keep) return undefined;
    return "rewrite" in verdict ? rewritten(text, verdict, leases) : text;
  };
  const addresses = (texts: readonly string[] | undefined): string[] => {
    const kept: string[] = [];
    texts?.forEach((text) => {
      const judged = judge(text);
      if (judged !== undefined) kept.push(judged);
    });
    return kept;
  };
  const routes = (list: readonly RouteMessage[] | undefined, judged: boolean): RouteMessage[] => {
    const kept: RouteMessage[] = [];
    list?.forEach((route) => {
      // Both verdicts are taken, also when the first one drops the route.
      const prefix = judged ? judge(route.prefix ?? "") : "";
      const hop = hasText(route.nextHop) ? judge(route.nextHop) : route.nextHop;
      if (prefix === undefined || (hasText(route.nextHop) && hop === undefined)) return;
      kept.push(hop === route.nextHop ? route : { ...route, nextHop: hop as string });
    });
    return kept;
  };

  const srcIpAddrs = addresses(context.srcIpAddrs);
  const dstIpAddrs = addresses(context.dstIpAddrs);
  const srcRoutes = routes(context.srcRoutes, true);
  const dstRoutes = routes(context.dstRoutes, true);
  if (context.policies !== undefined) {
    const policies: PolicyRouteMessage[] = [];
    for (const policy of context.policies) {
      const from = hasText(policy.from) ? judge(policy.from) : policy.from;
      const policyRoutes = policy.routes === undefined ? undefined : routes(policy.routes, false);
      if (hasText(policy.from) && from === undefined) continue;
      policies.push({ ...policy, ...(hasText(from) ? { from } : {}), ...(policyRoutes === undefined ? {} : { routes: policyRoutes }) });
    }
    context.policies = policies;
  }

  leases.forEach((lease, index) => {
    const texts = textsOf(lease);
    if (!lease.present.src) srcIpAddrs.push(texts.src);
    if (lease.mode === "single") return;
    if (index === answer.dstFirst) putFirst(dstIpAddrs, texts.dst, lease.present.dst);
    else if (!lease.present.dst) dstIpAddrs.push(texts.dst);
    if (!lease.present.srcRoute) srcRoutes.push({ prefix: texts.srcRoute });
    if (!lease.present.dstRoute) dstRoutes.push({ prefix: texts.dstRoute });
  });
  context.srcIpAddrs = srcIpAddrs;
  context.dstIpAddrs = dstIpAddrs;
  context.srcRoutes = srcRoutes;
  context.dstRoutes = dstRoutes;
}

/** The old pingers read only index 0 of dst_ip_addrs, so a live address must stand there. */
function putFirst(texts: string[], text: string, present: boolean): void {
  if (present) {
    // Kept as the client wrote it, which may be another spelling of the same address.
    const at = texts.findIndex((kept) => kept === text || sameAddress(kept, text));
    if (at >= 0) {
      const [kept] = texts.splice(at, 1);
      texts.unshift(kept ?? text);
      return;
    }
  }
  texts.unshift(text);
}

function sameAddress(kept: string, text: string): boolean {
  const a = parsePrefix(kept);
  return a !== undefined && formatPrefix(a) === text;
}

function rewritten(
  text: string,
  verdict: { readonly rewrite: "dst" | "src"; readonly lease: number },
  leases: readonly AnsweredLease[],
): string | undefined {
  const lease = leases[verdict.lease];
  if (lease === undefined) return undefined;
  const address = verdict.rewrite === "dst" ? lease.dst : lease.src;
  // A next hop comes bare, a policy's source with a length; what replaces it comes the same way.
  return text.includes("/") ? `${formatAddress(address)}/${lengthBehind(text, addressBits(address.family))}` : formatAddress(address);
}

function lengthBehind(text: string, full: number): number {
  const length = Number(text.slice(text.indexOf("/") + 1));
  return Number.isInteger(length) ? length : full;
}
