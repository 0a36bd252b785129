/** Linear memory that a lease takes, beyond the bytes of its client's name and id. */
import type { Address, Prefix } from "#events/address.js";
import type { RequestLease } from "#events/command.js";
import { emptyCore, map, numbers, submitAll } from "./core/filled.js";
import type { Report } from "./harness/group.js";
import { permutation, seeded } from "./harness/random.js";
import { summarise } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";
import { definePool, heldContext, request, v6, WIDE_V4, WIDE_V6 } from "./workload.js";

interface Case {
  readonly name: string;
  readonly prefix: Prefix;
  readonly of: (client: number) => RequestLease;
  readonly note: string;
}

function stringBytes({ client }: RequestLease): number {
  return Buffer.byteLength(client.name) + Buffer.byteLength(client.id);
}

/** A pair at a random even place of the first 2^32 addresses: no two of them touch. */
function scattered(client: number, places: Uint32Array): RequestLease {
  const place = ((places[client] as number) * 0x1_0000) >>> 0;
  const dst: Address = v6(place);
  return request(client, { items: heldContext(dst, v6(place + 1)) });
}

export async function run(scale: Scale, report: Report): Promise<void> {
  const leases = scale.memoryLeases;
  const places = permutation(Math.min(leases, 65_536), seeded(1));
  const cases: Case[] = [
    { name: "v4-pair", prefix: WIDE_V4, of: (client) => request(client), note: "the lowest pairs of a /8" },
    { name: "v6-pair", prefix: WIDE_V6, of: (client) => request(client), note: "the lowest pairs of a /64" },
    { name: "v6-scattered", prefix: WIDE_V6, of: (client) => scattered(client, places), note: "claims at random places of a /64, each with free space around it" },
  ];
  for (const { name, prefix, of, note } of cases) {
    const count = name === "v6-scattered" ? places.length : leases;
    const core = emptyCore(definePool({ prefix }));
    // Buffers for input and output grow once; what they take is not the leases'.
    submitAll(core, map(numbers(0, Math.min(2_048, count >> 1)), of));
    const first = Math.min(2_048, count >> 1);
    const before = core.arenaBytes();
    submitAll(core, map(numbers(first, count), of));
    let strings = 0;
    for (const client of numbers(first, count)) strings += stringBytes(of(client));
    const perLease = (core.arenaBytes() - before - strings) / (count - first);
    report({
      name: `memory.${name}`,
      unit: "bytes",
      figure: summarise([perLease]),
      peer: { go: name === "v6-scattered" ? "nsm.memory.p2p-fragmented" : "nsm.memory.p2p" },
      budget: { limit: 128 },
      note: `${count} leases, ${note}; ${(core.memoryBytes() / 2 ** 20).toFixed(1)} MB of linear memory in all`,
    });
  }
  await Promise.resolve();
}
