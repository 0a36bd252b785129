import { describe, expect, it } from "vitest";
import { formatAddress, parsePrefix } from "#events/address.js";
import type { AnsweredLease, Command, Outcome, RequestAnswer } from "#events/command.js";
import { Core } from "#events/core.js";
import type { AppendFault } from "#events/memory-store.js";
import { MemoryDisk, openMemoryStore } from "#events/memory-store.js";
import { Realm } from "#events/realm.js";
import { StoreError } from "#events/store.js";

const now = Date.UTC(2026, 0, 1);
const envelope = { now, actor: "test", correlation: "" };

function ask(name: string): Command {
  return { kind: "request", endpoint: "e", client: { name, id: "0" }, connection: name, reselect: false, knownOnly: false, excluded: [], items: [] };
}

function leave(kind: "close" | "cancel", name: string): Command {
  return { kind, endpoint: "e", client: { name, id: "0" }, connection: name };
}

/** A short life of a realm; every command writes. */
const script: readonly Command[] = [
  { kind: "define-pool", pool: "p", mode: "pair", prefixes: [parsePrefix("10.0.0.0/28")!], reserved: [], leaseSeconds: 600, graceSeconds: 0, cooldownSeconds: 0, draining: false },
  { kind: "define-endpoint", endpoint: "e", chain: [["p"]], contextPolicy: "replace" },
  ask("a"),
  ask("b"),
  ask("a"),
  leave("close", "b"),
  ask("c"),
  leave("cancel", "c"),
  ask("d"),
  ask("b"),
];

const faults: readonly (readonly [string, (disk: MemoryDisk) => AppendFault])[] = [
  ["written, and nobody knows it", () => ({ kind: "unknown", written: true })],
  ["not written, and nobody knows it", () => ({ kind: "unknown", written: false })],
  ["unavailable", () => ({ kind: "unavailable" })],
  ["without room", () => ({ kind: "full" })],
  [
    "overtaken by another writer",
    (disk) => {
      const core = stateOf(disk);
      const { events, count } = core.submit([{ command: { kind: "open-realm", graceSeconds: 60 }, envelope }]);
      return { kind: "conflict", body: events, count };
    },
  ],
];

function stateOf(disk: MemoryDisk): Core {
  const core = Core.create();
  for (const { body } of disk.batches) core.apply(body);
  return core;
}

function pairs(outcome: Outcome, which: (lease: AnsweredLease) => boolean = () => true): string {
  return (outcome as Outcome & { ok: true; answer: RequestAnswer }).answer.leases.filter(which).map(({ dst, src }) => `${formatAddress(dst)} ${formatAddress(src)}`).join();
}

describe.each(faults)("an append that is %s", (_, fault) => {
  it.each(Array.from({ length: script.length + 1 }, (__, i) => i + 1))("as the %i. of a realm's life loses nothing that was acknowledged", async (nth) => {
    const disk = new MemoryDisk();
    const open = async (): Promise<Realm> => Realm.open({ name: "r", store: await openMemoryStore(disk), clock: () => now });
    const held = new Map<string, string>();
    /** Those whose request was answered with a grant. */
    const granted = new Set<string>();

    /** As a host does it: after a failure the realm is opened again where it must be, and the caller tries again. */
    const insist = async <T>(work: () => Promise<T>): Promise<T> => {
      for (let tries = 0; ; tries++) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof StoreError) || tries === 2) throw error;
          disk.crash();
          realm = undefined;
        }
      }
    };
    let realm: Realm | undefined;
    const ready = async (): Promise<Realm> => (realm ??= await open());

    if (nth === 1) disk.failAppend(1, fault(disk));
    await insist(ready);
    for (const [i, command] of script.entries()) {
      if (i + 2 === nth) disk.failAppend(1, fault(disk));
      const outcome = await insist(async () => (await ready()).submit(command, envelope));
      expect(outcome.ok, JSON.stringify(outcome)).toBe(true);
      if (command.kind === "request") {
        const name = command.client.name;
        expect(held.get(name) ?? pairs(outcome), name).toBe(pairs(outcome));
        held.set(name, pairs(outcome));
        if (pairs(outcome, ({ outcome: how }) => how === "granted") !== "") granted.add(name);
      }
      // A cancel undoes a grant only. Where nobody knew whether the grant was written and its client asked again, that
      // answer was a heal, and a heal is not undone: the lease stays until its time is over.
      if (command.kind === "close" || (command.kind === "cancel" && granted.has(command.client.name))) held.delete(command.client.name);
      expect(await (await ready()).read((reader) => reader.hash())).toBe(stateOf(disk).hash());
    }
    disk.crash();
    realm = await open();
    const live = await realm.read((reader) => reader.leases({ state: "live" }, undefined, 100).items);
    expect(new Map(live.map(({ client, dst, src }) => [client.name, `${dst} ${src}`]))).toEqual(held);
    expect((await realm.verify()).ok).toBe(true);
    await realm.close();
  });
});
