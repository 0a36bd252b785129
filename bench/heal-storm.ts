/** All clients of an endpoint return in random order, each with the context it had. */
import type { RequestLease } from "#events/command.js";
import { emptyCore, ENVELOPE, map, numbers, submitAll, warmUp } from "./core/filled.js";
import { encodeRuns, RawCore } from "./core/raw.js";
import type { Report } from "./harness/group.js";
import { permutation, seeded } from "./harness/random.js";
import { repeat, summarise } from "./harness/sample.js";
import type { Figure } from "./harness/row.js";
import type { Scale } from "./harness/scale.js";
import { decided, define, inFolder, openRealm } from "./realm/temporary.js";
import { heldContext, request, v4 } from "./workload.js";

/** Commands in one submit. */
const RUN = 256;

/** Client n had the n-th pair; it comes back over a new connection. */
function healOf(client: number): RequestLease {
  const context = heldContext(v4(2 * client), v4(2 * client + 1));
  return request(client, { items: context, connection: `healed-${client.toString().padStart(8, "0")}` });
}

function storm(clients: number, seed: number): RequestLease[] {
  return [...map(permutation(clients, seeded(seed)), healOf)];
}

/** The log from before the restart: the events and who had what. */
function logOf(clients: number): Uint8Array[] {
  const events: Uint8Array[] = [];
  const keep = (bytes: Uint8Array): void => void events.push(bytes);
  const source = emptyCore(undefined, keep);
  submitAll(source, map(numbers(0, clients), (client) => request(client)), ENVELOPE, keep);
  return events;
}

function timeStorm(core: RawCore, runs: readonly Uint8Array[], clients: number): number {
  const start = performance.now();
  let done = 0;
  for (const run of runs) {
    const commands = core.submit(run);
    core.commit(commands);
    done += commands;
  }
  const seconds = (performance.now() - start) / 1_000;
  if (done !== clients) throw new Error(`${done} of ${clients} clients were served`);
  return seconds;
}

async function inCore(scale: Scale, clients: number, report: Report): Promise<void> {
  const peer = { go: `nsm.heal-storm.clients-${clients}` };
  const budget = clients === 30_000 ? { budget: { limit: 0.05 } } : {};
  const storms = Array.from({ length: scale.repetitions + 1 }, (_, i) => encodeRuns(storm(clients, i + 1), ENVELOPE, RUN));
  const claimed: Figure = await repeat(scale.repetitions, (repetition) => timeStorm(emptyCore(), storms[repetition] as Uint8Array[], clients));
  report({ name: `heal-storm.core.claimed.clients-${clients}`, unit: "s", figure: claimed, peer, ...budget, note: "an empty log: each context is believed where its addresses are free, as the peer does" });
  const log = logOf(clients);
  const restored = await repeat(scale.repetitions, (repetition) => {
    const core = new RawCore();
    for (const events of log) core.apply(events);
    submitAll(core, [{ kind: "open-realm", graceSeconds: 600 }]);
    return timeStorm(core, storms[repetition] as Uint8Array[], clients);
  });
  report({ name: `heal-storm.core.restored.clients-${clients}`, unit: "s", figure: restored, peer, ...budget, note: "the state replayed before" });
}

async function durable(scale: Scale, clients: number, report: Report): Promise<void> {
  const samples: { claimed: number[]; restored: number[] } = { claimed: [], restored: [] };
  for (let repetition = 0; repetition <= Math.min(scale.repetitions, 5); repetition++) {
    await inFolder(async (folder) => {
      let realm = await openRealm(folder);
      await define(realm);
      const time = async (): Promise<number> => {
        const requests = storm(clients, repetition + 1);
        const start = performance.now();
        await Promise.all(requests.map((one) => decided(realm, one)));
        return (performance.now() - start) / 1_000;
      };
      const claimed = await time();
      await realm.close();
      realm = await openRealm(folder);
      const restored = await time();
      await realm.close();
      if (repetition === 0) return;
      samples.claimed.push(claimed);
      samples.restored.push(restored);
    });
  }
  const budget = clients === 30_000 ? { budget: { limit: 0.3 } } : {};
  for (const kind of ["claimed", "restored"] as const) {
    report({
      name: `heal-storm.durable.${kind}.clients-${clients}`,
      unit: "s",
      figure: summarise(samples[kind]),
      peer: { go: `nsm.heal-storm.clients-${clients}` },
      ...budget,
      note: "all at once through the realm, each answered when it is on disk; the peer keeps nothing",
    });
  }
}

export async function run(scale: Scale, report: Report): Promise<void> {
  warmUp(scale);
  for (const clients of scale.healClients) {
    await inCore(scale, clients, report);
    await durable(scale, clients, report);
  }
}
