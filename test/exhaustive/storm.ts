/** Plays every heal storm of a size and says of the first that went wrong what it was. */
import type { Outcome, RequestAnswer } from "#events/command.js";
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
      checkHealed(requests[done + i]!, outcome, answers[client]!, `client ${client} in ${JSON.stringify(storm)}`);
    });
    done += size;
  }
}

function checkHealed(asked: Asked, outcome: Outcome, wanted: RequestAnswer, what: string): void {
  const got = answerOf(outcome);
  if (leasesText(got) !== leasesText(wanted)) throw new Error(`${what} got ${leasesText(got)} instead of ${leasesText(wanted)}`);
  if (got.leases.some((lease) => lease.outcome !== "restored")) throw new Error(`${what} was not told that its leases were restored`);
  const stale = staleItems(asked, got);
  if (stale.length > 0) throw new Error(`${what} keeps what it has no lease on: ${stale.join(", ")}`);
}

/** Kept items that are neither the answer's nor the client's own: its context may hold nobody else's addresses. */
function staleItems(asked: Asked, answer: RequestAnswer): readonly string[] {
  if (asked.command.kind !== "request") return [];
  const own = answer.leases.flatMap(({ dst, src }) => [dst, src]).map((address) => textOf(pointOf(address)));
  return asked.command.items
    .filter((_, i) => answer.verdicts[i]!.keep)
    .map(({ address }) => textOf(pointOf(address)))
    .filter((text) => !own.includes(text) && text !== CLIENTS_OWN);
}

function checkNewcomer(outcome: Outcome | undefined, answers: readonly RequestAnswer[]): void {
  const taken = answers.flatMap(({ leases }) => leases.flatMap(({ mode, dst, src }) => (mode === "pair" ? [dst, src] : [src]))).map((address) => JSON.stringify(address));
  const got = answerOf(outcome);
  for (const { dst, src } of got.leases) {
    if ([dst, src].some((address) => taken.includes(JSON.stringify(address)))) throw new Error(`the newcomer got an address of someone else: ${leasesText(got)}`);
  }
  if (got.verdicts.some(({ keep }) => keep)) throw new Error("the newcomer keeps addresses of others in its context");
}
