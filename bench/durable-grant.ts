/** Grants in process, each answered once it is on disk, with a number of callers that each wait for their answer. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Realm } from "#events/realm.js";
import type { Report } from "./harness/group.js";
import { percentile, summarise } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";
import { decided, define, inFolder, openRealm } from "./realm/temporary.js";
import { request } from "./workload.js";

interface Sample {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Longest time the event loop was held, ms. */
  readonly held: number;
}

/** `waiting` callers, each asking again as soon as it has its answer, until `grants` are granted. */
async function measure(realm: Realm, waiting: number, grants: number, firstClient: number): Promise<Sample> {
  const latencies = new Float64Array(grants);
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < grants) {
      const mine = next++;
      const from = performance.now();
      await decided(realm, request(firstClient + mine));
      latencies[mine] = performance.now() - from;
    }
  };
  globalThis.gc?.();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await Promise.all(Array.from({ length: waiting }, caller));
  const seconds = (performance.now() - start) / 1_000;
  delay.disable();
  return { rate: grants / seconds, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), held: Number.isFinite(delay.max) ? delay.max / 1e6 : 0 };
}

export async function run(scale: Scale, report: Report): Promise<void> {
  for (const waiting of scale.waiting) {
    // One caller alone waits for the disk each time: a few thousand say everything.
    const grants = Math.min(scale.durableGrants, waiting * 2_000);
    const samples: Sample[] = [];
    await inFolder(async (folder) => {
      const realm = await openRealm(folder);
      await define(realm);
      for (let repetition = 0; repetition <= scale.repetitions; repetition++) {
        const sample = await measure(realm, waiting, grants, repetition * grants);
        if (repetition > 0) samples.push(sample);
      }
      await realm.close();
    });
    const name = `durable-grant.waiting-${waiting}`;
    const at256 = waiting === 256;
    const figure = (of: (sample: Sample) => number) => summarise(samples.map(of));
    report({ name, unit: "grants/s", figure: figure((sample) => sample.rate), ...(at256 && { budget: { limit: 250_000 } }) });
    report({ name: `${name}.p50`, unit: "ms", figure: figure((sample) => sample.p50) });
    report({ name: `${name}.p99`, unit: "ms", figure: figure((sample) => sample.p99), ...(at256 && { budget: { limit: 5 } }) });
    report({ name: `${name}.event-loop-held`, unit: "ms", figure: figure((sample) => sample.held), ...(at256 && { budget: { limit: 10 } }) });
  }
}
