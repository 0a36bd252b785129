/** Plays every heal storm of a size and says of the first that went wrong what it was. */
import type { Address } from "#events/address.js";
import type { AnsweredLease, Outcome, RequestAnswer } from "#events/command.js";
import { pointOf, textOf } from "../model/address.js";
import { permutations } from "../model/play.js";
import type { Asked } from "../property/subject.js";
import { type ContextKind, type HealRealm, CLIENTS_OWN, answerOf, before, contexts, heal, leasesText, newcomer, opening, splits } from "./heal.js";

export interface Storms {
  readonly clients: number;
  /** True: every assignment of contexts in every order and split. False: each order and split with one of them in turn. */
  readonly everyContext: boolean;
  /** A client nobody knows asks before all others. */
  readonly withNewcomer: boolean;
}

/** How many storms were played. Throws at the first client that did not get its addresses back. */
export function playStorms(realm: HealRealm, { clients, everyContext, withNewcomer }: Storms): number {
  const answers = realm.submit(before(clients)).slice(-clients).map(answerOf);
  realm.submit([opening()]);
  const rewind = realm.mark();
  const all = contexts(clients);
  let storms = 0;
  for (const order of permutations(Array.from({ length: clients }, (_, client) => client))) {
    for (const sizes of splits(clients)) {
      for (const kinds of everyContext ? all : [all[(storms * 7) % all.length]!]) {
        rewind();
        if (withNewcomer) checkNewcomer(realm.submit([newcomer(answers)])[0], answers);
        playStorm(realm, { order, sizes, kinds }, answers);
        storms++;
      }
    }
  }
  return storms;
}

interface Storm {
  readonly order: readonly number[];
  readonly sizes: readonly number[];
  readonly kinds: readonly ContextKind[];
}

function playStorm(realm: HealRealm, storm: Storm, answers: readonly RequestAnswer[]): void {
  const requests: readonly Asked[] = storm.order.map((client) => heal(client, storm.kinds[client]!, answers));
  let done = 0;
  for (const size of storm.sizes) {
    realm.submit(requests.slice(done, done + size)).forEach((outcome, i) => {
      const client = storm.order[done + i]!;
      const fault = faultOf(requests[done + i]!, outcome, answers[client]!);
      if (fault !== undefined) throw new Error(`client ${client} in ${JSON.stringify(storm)} ${fault}`);
    });
    done += size;
  }
}

/** What is wrong with a healed client's answer; `undefined` if it has what it had. */
function faultOf(asked: Asked, outcome: Outcome, wanted: RequestAnswer): string | undefined {
  const got = answerOf(outcome);
  if (!isSamePlace(got, wanted)) return `got ${leasesText(got)} instead of ${leasesText(wanted)}`;
  if (got.leases.some((lease) => lease.outcome !== "restored")) return "was not told that its leases were restored";
  const stale = staleItems(asked, got);
  return stale.length > 0 ? `keeps what it has no lease on: ${stale.map((address) => textOf(pointOf(address))).join(", ")}` : undefined;
}

function isSamePlace(got: RequestAnswer, wanted: RequestAnswer): boolean {
  const isSame = (one: AnsweredLease, other: AnsweredLease | undefined): boolean =>
    other !== undefined && one.lease === other.lease && isSameAddress(one.dst, other.dst) && isSameAddress(one.src, other.src);
  return got.leases.length === wanted.leases.length && got.leases.every((lease, i) => isSame(lease, wanted.leases[i]));
}

function isSameAddress(a: Address, b: Address): boolean {
  if (a.family === 4) return b.family === 4 && a.value === b.value;
  return b.family === 6 && a.words.every((word, i) => word === b.words[i]);
}

/** Kept items that are neither the answer's nor the client's own: its context may hold nobody else's addresses. */
function staleItems(asked: Asked, answer: RequestAnswer): readonly Address[] {
  if (asked.command.kind !== "request") return [];
  const own = [CLIENTS_OWN, ...answer.leases.flatMap(({ dst, src }) => [dst, src])];
  return asked.command.items
    .filter((item, i) => answer.verdicts[i]!.keep && !own.some((address) => isSameAddress(address, item.address)))
    .map(({ address }) => address);
}

function checkNewcomer(outcome: Outcome | undefined, answers: readonly RequestAnswer[]): void {
  const taken = answers.flatMap(({ leases }) => leases.flatMap(({ mode, dst, src }) => (mode === "pair" ? [dst, src] : [src])));
  const got = answerOf(outcome);
  const isTaken = (address: Address): boolean => taken.some((other) => isSameAddress(other, address));
  if (got.leases.some(({ dst, src }) => isTaken(dst) || isTaken(src))) throw new Error(`the newcomer got an address of someone else: ${leasesText(got)}`);
  if (got.verdicts.some(({ keep }) => keep)) throw new Error("the newcomer keeps addresses of others in its context");
}
