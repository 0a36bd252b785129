/** The timer tick: leases that run out, many at once, as after a rack lost power. */
import type { Command } from "#events/command.js";
import { emptyCore, ENVELOPE, map, submitAll, warmUp } from "./core/filled.js";
import { encodeRuns } from "./core/raw.js";
import type { Report } from "./harness/group.js";
import { permutation, seeded } from "./harness/random.js";
import { summarise } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";
import { definePool, request, START } from "./workload.js";

const LEASE_SECONDS = 600;
/** Leases one tick may end; the longest tick says how long the event loop is held by it. */
const LIMIT = 1_024;

export async function run(scale: Scale, report: Report): Promise<void> {
  warmUp(scale);
  const perLease: number[] = [];
  const longest: number[] = [];
  for (let repetition = 0; repetition <= scale.repetitions; repetition++) {
    const core = emptyCore(definePool({ leaseSeconds: LEASE_SECONDS }));
    // Granted in random order over ten minutes, so that their times are mixed in memory.
    const order = permutation(scale.expiring, seeded(repetition + 1));
    for (let slice = 0; slice < 10; slice++) {
      const part = order.subarray((slice * order.length) / 10, ((slice + 1) * order.length) / 10);
      submitAll(core, map(part, (client) => request(client)), { ...ENVELOPE, now: START + slice * 60_000 });
    }
    const tick: Command = { kind: "expire", limit: LIMIT };
    const bytes = encodeRuns([tick], { ...ENVELOPE, now: START + 2 * LEASE_SECONDS * 1_000 }, 1)[0] as Uint8Array;
    let worst = 0;
    let ended = 0;
    const start = performance.now();
    while (ended < scale.expiring) {
      const from = performance.now();
      core.commit(core.submit(bytes));
      const count = core.eventCount();
      if (count === 0) throw new Error(`the tick ended ${ended} of ${scale.expiring} leases and then none`);
      ended += count;
      worst = Math.max(worst, performance.now() - from);
    }
    if (repetition === 0) continue;
    perLease.push(((performance.now() - start) * 1_000) / ended);
    longest.push(worst);
    await Promise.resolve();
  }
  report({ name: `expire.lease`, unit: "us", figure: summarise(perLease), note: `${scale.expiring} due leases, ${LIMIT} a tick` });
  report({ name: `expire.longest-tick`, unit: "ms", figure: summarise(longest), budget: { limit: 10 } });
}
