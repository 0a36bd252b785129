/**
 * Every way a storm of heals can arrive: which client first, what stands in its context, and which requests
 * share one durable write.
 */
import type { ContextItem, Outcome, RequestAnswer, RequestLease } from "#events/command.js";
import type { Asked } from "../property/subject.js";
import { bitsOf, parsePrefix, pointOf, textOf } from "../model/address.js";

/** A realm that decides and makes durable in one go, and can be put back to where it was. */
export interface HealRealm {
  submit(batch: readonly Asked[]): readonly Outcome[];
  /** Remembers the state; calling the result goes back to it. */
  mark(): () => void;
}

export type ContextKind = "right" | "empty" | "wrong";

const START = Date.UTC(2026, 0, 1);
const ENVELOPE = { actor: "storm", correlation: "" };

function asked(command: Asked["command"], now: number): Asked {
  return { command, envelope: { ...ENVELOPE, now } };
}

/** The log of a realm with two groups in its chain and `clients` clients, up to the moment it went down. */
export function before(clients: number): readonly Asked[] {
  const times = { leaseSeconds: 600, graceSeconds: 0, cooldownSeconds: 0, draining: false, reserved: [] };
  return [
    asked({ kind: "open-realm", graceSeconds: 60 }, START),
    asked({ kind: "define-pool", pool: "v4", mode: "pair", prefixes: [parsePrefix("172.16.1.0/28")], ...times }, START),
    asked({ kind: "define-pool", pool: "v6", mode: "single", prefixes: [parsePrefix("2001:db8::/64")], ...times }, START),
    asked({ kind: "define-endpoint", endpoint: "nse", chain: [["v4"], ["v6"]], contextPolicy: "replace" }, START),
    ...Array.from({ length: clients }, (_, client) => asked(request(client, "before", []), START + client)),
  ];
}

/** A second life begins: the same log, a long time later. */
export function opening(): Asked {
  return asked({ kind: "open-realm", graceSeconds: 60 }, START + 3_600_000);
}

/** The heal of one client after the restart, over a connection the NSE has not seen before. */
export function heal(client: number, kind: ContextKind, answers: readonly RequestAnswer[]): Asked {
  const other = answers[(client + 1) % answers.length]!;
  const items = { right: () => contextOf(answers[client]!), empty: () => [], wrong: () => [...contextOf(other), ...FOREIGN] }[kind]();
  return asked(request(client, "after", items), START + 3_601_000);
}

/** Nobody has met this client. It claims what the others have. */
export function newcomer(answers: readonly RequestAnswer[]): Asked {
  return asked(request(99, "after", answers.flatMap(contextOf)), START + 3_600_500);
}

function request(client: number, life: string, items: readonly ContextItem[]): RequestLease {
  return {
    kind: "request",
    endpoint: "nse",
    client: { name: `nsc-${client}`, id: `nsc-${client}-0` },
    connection: `${client}-${life}`,
    reselect: false,
    knownOnly: false,
    excluded: [],
    items,
  };
}

/** A client's own address, which no realm ever gave it. */
export const CLIENTS_OWN = parsePrefix("20.0.0.1/32").address;

const FOREIGN: readonly ContextItem[] = [
  ...["172.16.1.0/24", "172.16.1.14/32", "2001:db8::7/128"].map((text): ContextItem => ({ place: "src-address", ...parsePrefix(text) })),
  { place: "src-address", address: CLIENTS_OWN, length: 32 },
];

function contextOf(answer: RequestAnswer): readonly ContextItem[] {
  return answer.leases.flatMap(({ mode, dst, src, length }): ContextItem[] => {
    const full = bitsOf(pointOf(src));
    const own: ContextItem[] = [{ place: "src-address", address: src, length }];
    if (mode === "single") return own;
    return [
      ...own,
      { place: "dst-address", address: dst, length },
      { place: "src-route", address: dst, length: full },
      { place: "dst-route", address: src, length: full },
    ];
  });
}

/** The leases of an answer in one line: number and addresses. */
export function leasesText(answer: RequestAnswer): string {
  return answer.leases.map(({ lease, dst, src }) => `${lease}: ${textOf(pointOf(dst))} ${textOf(pointOf(src))}`).join(", ");
}

export function answerOf(outcome: Outcome | undefined): RequestAnswer {
  if (outcome === undefined || !outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return (outcome as Outcome<RequestLease> & { ok: true }).answer;
}

/** Every way to cut a list of `count` into runs that follow each other: the sizes of the batches. */
export function splits(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return Array.from({ length: count }, (_, i) => i + 1).flatMap((first) => splits(count - first).map((rest) => [first, ...rest]));
}

const KINDS: readonly ContextKind[] = ["right", "empty", "wrong"];

/** Every assignment of contexts to that many clients. */
export function contexts(count: number): readonly (readonly ContextKind[])[] {
  return count === 0 ? [[]] : contexts(count - 1).flatMap((rest) => KINDS.map((kind) => [...rest, kind]));
}
