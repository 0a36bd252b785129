/** Plays one shared case against a realm and checks every expectation the case states. */
import { expect } from "vitest";
import type { Command, DefinePool, Outcome, RequestLease } from "#events/command.js";
import { addressOf, parsePrefix, rangeOf, rangeText } from "./address.js";
import type { Case, Element, Step } from "./case-file.js";
import { EMPTY_CONTEXT, type IpContext, composed, itemsOf } from "./context.js";
import type { Realm } from "./realm.js";

const START = Date.UTC(2026, 0, 1);
const STEP_MS = 1000;
const OPENING_GRACE_SECONDS = 60;

interface Returned {
  readonly id: string;
  readonly context: IpContext;
}

interface Asked {
  readonly endpoint: string;
  readonly client: { readonly name: string; readonly id: string };
  readonly connection: string;
  readonly reselect: boolean;
  readonly context: IpContext;
}

export class Player {
  private realms: Map<string, Realm>;
  private now = START;
  private ids = 0;
  private readonly returned = new Map<string, Returned>();
  private readonly lastOf = new Map<string, IpContext>();

  constructor(private readonly test: Case, fresh: () => Realm) {
    const names = Object.keys(test.setup.nses ?? { nse: {} });
    // Two NSEs that allocate apart although their prefixes are the same are two realms: one realm has each address once.
    const isApart = test.setup.shared_ipam === false;
    const shared = fresh();
    this.realms = new Map(names.map((name) => [name, isApart ? fresh() : shared]));
    for (const name of names) this.open(name);
    if (test.setup.chain !== undefined) this.defineChain(test.setup.chain);
    else this.defineNses();
  }

  play(): void {
    for (const step of this.test.steps) {
      this.now = step.now === undefined ? this.now + STEP_MS : START + step.now * 1000;
      this.playStep(step);
    }
  }

  private playStep(step: Step): void {
    switch (step.do) {
      case "request":
        return this.test.setup.nses === undefined ? this.requestAsConnection(step) : this.requestAsClient(step);
      case "close":
        return this.close(step);
      case "restart":
      case "start":
        return this.restart(step);
      case "kill":
        return;
      case "events":
        return this.checkEvents(step);
      case "replay":
        return this.checkReplay();
      case "request_all":
        for (const client of this.clients()) this.ask({ nse: this.onlyNse(), client, ip_context: step.ip_context ?? "empty" });
        return;
      case "for_each_permutation_request_all":
        return this.checkPermutations();
      default:
        throw new Error(`${this.test.id}: cannot play ${step.do}`);
    }
  }

  private open(nse: string): void {
    this.submit(nse, { kind: "open-realm", graceSeconds: OPENING_GRACE_SECONDS });
  }

  private defineChain(chain: readonly Element[]): void {
    this.definePredecessor();
    const groups = chain.flatMap(({ element, prefixes, groups: inner, inner: kind }) =>
      (inner ?? [prefixes ?? []]).map((list) => ({ list, mode: element === "singlepoint" || kind === "singlepoint" ? ("single" as const) : ("pair" as const) })));
    const pools = groups.map(({ list, mode }, i) => this.definePool("nse", `pool-${i}`, list, mode));
    this.submit("nse", { kind: "define-endpoint", endpoint: "nse", chain: pools.map((pool) => [pool]), contextPolicy: "replace" });
  }

  /**
   * The reselect case begins when its client is on the second NSE already. What the first one issued can only
   * be told from a client's own addresses if the first one's part was played as well.
   */
  private definePredecessor(): void {
    if (this.test.suite !== "nsmgr") return;
    const pool = this.definePool("nse", "predecessor", ["100.100.100.100/30"], "pair");
    this.submit("nse", { kind: "define-endpoint", endpoint: "nse-1", chain: [[pool]], contextPolicy: "replace" });
    const client = { name: "", id: "predecessor" };
    this.request("nse", { endpoint: "nse-1", client, connection: "predecessor", reselect: false, context: EMPTY_CONTEXT });
  }

  private defineNses(): void {
    const known = new Map<string, string>();
    for (const [nse, { prefixes = [], chain = [prefixes] }] of Object.entries(this.test.setup.nses ?? {})) {
      const pools = chain.map((list, i) => {
        const key = this.test.setup.shared_ipam === true ? list.join() : `${nse} ${list.join()}`;
        const pool = known.get(key) ?? this.definePool(nse, `${nse}-${i}`, list, "pair");
        known.set(key, pool);
        return pool;
      });
      this.submit(nse, { kind: "define-endpoint", endpoint: nse, chain: pools.map((pool) => [pool]), contextPolicy: "replace" });
    }
  }

  private definePool(nse: string, pool: string, prefixes: readonly string[], mode: DefinePool["mode"]): string {
    const leaseSeconds = this.test.setup.lease_seconds ?? 3600;
    const ranges = prefixes.map((text) => rangeOf(parsePrefix(text)));
    this.submit(nse, {
      kind: "define-pool",
      pool,
      mode,
      prefixes: ranges.map((range) => ({ address: addressOf(range.first), length: parsePrefix(rangeText(range)).length })),
      reserved: [],
      leaseSeconds,
      graceSeconds: 0,
      cooldownSeconds: 0,
      draining: false,
    });
    return pool;
  }

  private requestAsConnection(step: Step): void {
    const base = this.connectionOf(step);
    const context = { ...base.context, ...step.set_ip_context };
    const outcome = this.request("nse", { endpoint: "nse", client: { name: "", id: base.id }, connection: base.id, reselect: false, context });
    this.settle(step, outcome, context, (answer) => this.returned.set(step.as ?? base.id, { id: base.id, context: answer }));
  }

  private connectionOf(step: Step): Returned {
    const { connection } = step;
    if (typeof connection === "string") return this.response(connection);
    const id = connection?.id ?? "$unique";
    if (id.startsWith("$id:")) return { id: this.response(`$response:${id.slice(4)}`).id, context: EMPTY_CONTEXT };
    if (id === "$unique") return { id: `connection-${this.ids++}`, context: EMPTY_CONTEXT };
    // A connection without an id gets one from the host before the core sees it.
    return { id: id === "" ? "given-by-host" : id, context: EMPTY_CONTEXT };
  }

  private response(reference: string): Returned {
    const found = this.returned.get(reference.slice("$response:".length));
    if (found === undefined) throw new Error(`${this.test.id}: ${reference} is not known`);
    return found;
  }

  private requestAsClient(step: Step): void {
    const { outcome, context } = this.ask(step);
    this.settle(step, outcome, context, (answer) => {
      if (step.as !== undefined) this.returned.set(step.as, { id: step.client!, context: answer });
    });
  }

  /** Asks and remembers the answer as the client's last. */
  private ask(step: Pick<Step, "nse" | "client" | "connection" | "ip_context" | "state" | "policy_route_next_hop_must_not_be" | "next_element_fails">): { outcome: Outcome<RequestLease>; context: IpContext } {
    const nse = step.nse!;
    const client = { name: step.client!, id: `${step.client!}-0` };
    const reselect = step.state === "RESELECT_REQUESTED";
    const context = step.ip_context === "empty" ? EMPTY_CONTEXT : (this.lastOf.get(client.name) ?? EMPTY_CONTEXT);
    const connection = typeof step.connection === "string" ? step.connection : connectionAt(nse, client.name);
    const outcome = this.request(nse, { endpoint: nse, client, connection, reselect, context });
    if (outcome.ok && step.next_element_fails !== true) this.lastOf.set(client.name, composed(context, outcome.answer));
    if (outcome.ok && step.next_element_fails === true) this.submit(nse, { kind: "cancel", endpoint: nse, client, connection });
    return { outcome, context };
  }

  private request(nse: string, asked: Asked, extra: RequestLease["items"] = []): Outcome<RequestLease> {
    const { context, ...rest } = asked;
    return this.submit(nse, {
      kind: "request",
      ...rest,
      knownOnly: false,
      excluded: context.excluded_prefixes.map(parsePrefix),
      items: [...itemsOf(context), ...extra],
    });
  }

  private settle(step: Step, outcome: Outcome<RequestLease>, context: IpContext, remember: (answer: IpContext) => void): void {
    const wanted = { ...step.expect, ...step.desired };
    if (step.next_element_fails === true) {
      expect(outcome.ok).toBe(true);
      if (this.test.setup.nses === undefined) this.cancelConnection(step);
      return;
    }
    expect(outcome.ok, JSON.stringify(outcome)).toBe(wanted.ok);
    if (!outcome.ok) {
      if (wanted.error_kind === "CONNECTION_EXPIRED") expect(outcome.refusal.code).toBe("connection-expired");
      if ((wanted as { error?: string }).error === "IPPool is empty") expect(outcome.refusal.code).toBe("pool-exhausted");
      return;
    }
    const answer = composed(context, outcome.answer);
    remember(answer);
    if (step.desired === undefined || step.desired.ip_context !== undefined) expect(answer).toMatchObject(wanted.ip_context ?? {});
    const all = [...answer.src_ip_addrs, ...answer.dst_ip_addrs, ...answer.src_routes.map(({ prefix }) => prefix), ...answer.dst_routes.map(({ prefix }) => prefix)];
    for (const other of wanted.no_address_in_common_with ?? []) {
      const theirs = this.response(`$response:${other}`).context;
      for (const address of [...theirs.src_ip_addrs, ...theirs.dst_ip_addrs]) expect(all).not.toContain(address);
    }
    const stated = { ...step, ...(step.expect as Partial<Step>) };
    for (const address of stated.absent ?? []) expect(all).not.toContain(address);
    if (stated.dst_ip_addrs_index0 !== undefined) expect(answer.dst_ip_addrs[0]).toBe(stated.dst_ip_addrs_index0);
    if (wanted.lease_expires_at !== undefined) expect(outcome.answer.leases[0]?.expiresAt).toBe(START + wanted.lease_expires_at * 1000);
    if (stated.policy_route_next_hop_must_not_be !== undefined) this.checkNextHop(step, stated.policy_route_next_hop_must_not_be);
  }

  /** A policy's next hop at the old address must not come back as it went. */
  private checkNextHop(step: Step, hop: string): void {
    const client = { name: step.client!, id: `${step.client!}-0` };
    const asked = { endpoint: step.nse!, client, connection: connectionAt(step.nse!, client.name), reselect: false, context: EMPTY_CONTEXT };
    const outcome = this.request(step.nse!, asked, [{ place: "policy-next-hop", ...parsePrefix(hop) }]);
    expect(outcome.ok && outcome.answer.verdicts[0]).toMatchObject({ keep: true, rewrite: "dst", lease: 0 });
  }

  private cancelConnection(step: Step): void {
    const id = typeof step.connection === "object" && step.connection.id !== "$unique" ? step.connection.id : `connection-${this.ids - 1}`;
    this.submit("nse", { kind: "cancel", endpoint: "nse", client: { name: "", id }, connection: id });
  }

  private close(step: Step): void {
    if (step.client !== undefined) {
      const client = { name: step.client, id: `${step.client}-0` };
      const connection = typeof step.connection === "string" ? step.connection : connectionAt(step.nse!, step.client);
      expect(this.submit(step.nse!, { kind: "close", endpoint: step.nse!, client, connection }).ok).toBe(true);
      return;
    }
    const { id } = this.connectionOf(step);
    expect(this.submit("nse", { kind: "close", endpoint: "nse", client: { name: "", id }, connection: id }).ok).toBe(true);
  }

  /** The process forgets everything; the log stays. */
  private restart(step: Step): void {
    const nse = step.nse ?? this.onlyNse();
    const before = this.realms.get(nse);
    const after = before!.restarted();
    this.realms = new Map([...this.realms].map(([name, realm]) => [name, realm === before ? after : realm]));
    this.open(nse);
    if (step.prefixes !== undefined) this.definePool(nse, `${nse}-0`, step.prefixes, "pair");
  }

  private checkEvents(step: Step): void {
    const count = (type: string): number => [...new Set(this.realms.values())].flatMap((realm) => realm.log()).filter((event) => event.type === type).length;
    expect({ leases_granted: count("lease-granted"), leases_moved: count("lease-moved") }).toMatchObject(step.expect ?? {});
  }

  private checkReplay(): void {
    for (const realm of this.realms.values()) expect(realm.restarted().state()).toEqual(realm.state());
  }

  private checkPermutations(): void {
    const nse = this.onlyNse();
    const before = this.realms.get(nse)!;
    const assignment = (): unknown => this.realms.get(nse)!.state().leases.map(({ client, dst, src }) => ({ client, dst, src }));
    const free = (): unknown => this.realms.get(nse)!.state().pools.map(({ usage }) => usage.free);
    const wanted = [assignment(), free()];
    for (const order of permutations(this.clients())) {
      this.realms.set(nse, before.restarted());
      this.open(nse);
      for (const client of order) this.ask({ nse, client, ip_context: "empty" });
      expect([assignment(), free()], order.join()).toEqual(wanted);
    }
  }

  private clients(): readonly string[] {
    return this.test.setup.clients ?? [];
  }

  private onlyNse(): string {
    return [...this.realms.keys()][0]!;
  }

  private submit<C extends Command>(nse: string, command: C): Outcome<C> {
    const realm = this.realms.get(nse);
    if (realm === undefined) throw new Error(`${this.test.id}: no realm for ${nse}`);
    return realm.submit(command, { now: this.now, actor: "case", correlation: this.test.id });
  }
}

function connectionAt(nse: string, client: string): string {
  return `${client}@${nse}`;
}

/** Every order of the list. */
export function permutations<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length <= 1) return [list];
  return list.flatMap((first, i) => permutations([...list.slice(0, i), ...list.slice(i + 1)]).map((rest) => [first, ...rest]));
}
