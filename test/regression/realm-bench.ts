import { formatAddress, parsePrefix } from "#events/address.js";
import type { Command, Envelope, Outcome, RequestAnswer, RequestLease } from "#events/command.js";
import type { MemoryDisk } from "#events/memory-store.js";
import { openMemoryStore } from "#events/memory-store.js";
import { Realm } from "#events/realm.js";

export const now = Date.UTC(2026, 0, 1);
export const envelope: Envelope = { now, actor: "test", correlation: "" };

/** A realm on a disk that outlives it. */
export async function openOn(disk: MemoryDisk): Promise<Realm> {
  return Realm.open({ name: "r", store: await openMemoryStore(disk), clock: () => now });
}

/** Pool `p` of the prefix and endpoint `e` over it. */
export async function furnish(realm: Realm, prefix: string): Promise<void> {
  await realm.submit(
    { kind: "define-pool", pool: "p", mode: "pair", prefixes: [parsePrefix(prefix)!], reserved: [], leaseSeconds: 600, graceSeconds: 0, cooldownSeconds: 0, draining: false },
    envelope,
  );
  await realm.submit({ kind: "define-endpoint", endpoint: "e", chain: [["p"]], contextPolicy: "replace" }, envelope);
}

export function request(client: string): RequestLease {
  return { kind: "request", endpoint: "e", client: { name: client, id: "0" }, connection: client, reselect: false, knownOnly: false, excluded: [], items: [] };
}

/** Asks for a client; gives its addresses, `dst src`, or the code it was refused with. */
export async function ask(realm: Realm, client: string): Promise<string> {
  return pairOf(await realm.submit<Command>(request(client), envelope));
}

function pairOf(outcome: Outcome): string {
  if (!outcome.ok) return outcome.refusal.code;
  return (outcome.answer as RequestAnswer).leases.map(({ dst, src }) => `${formatAddress(dst)} ${formatAddress(src)}`).join(", ");
}
