/** Grants over HTTP, each durable before it is answered, beside a route that only parses and answers. */
import type { Report } from "./harness/group.js";
import { summarise } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";
import type { LoadResult } from "./http/load.js";
import { HttpBench } from "./http/processes.js";
import type { ServerUse } from "./http/server.js";
import { ENDPOINT } from "./workload.js";

type Sample = LoadResult & ServerUse;

const BATCH = 100;

function checked(sample: Sample, amount: number): Sample {
  if (sample.refused === 0 && sample.errors === 0 && sample.answered >= amount) return sample;
  throw new Error(`of ${amount} requests ${sample.answered} were answered, ${sample.refused} of them with a refusal, and ${sample.errors} failed`);
}

/** Where the time went: processor time of the server for one request, and whether the load itself was slow. */
function spent(name: string, samples: readonly Sample[]): string {
  const perRequest = summarise(samples.map((one) => (one.cpuSeconds * 1e6) / one.answered)).median;
  const load = summarise(samples.map((one) => one.loadShare)).median;
  return `${name} ${perRequest.toFixed(0)} us of processor a request (load at ${(load * 100).toFixed(0)} % of a core)`;
}

export async function run(scale: Scale, report: Report): Promise<void> {
  const bench = await HttpBench.start();
  try {
    let client = 0;
    const measure = async (base: string, path: string, batch: number, amount: number): Promise<Sample> => {
      const firstClient = client;
      client += amount * Math.max(1, batch);
      return checked(await bench.run({ url: `${base}${path}`, connections: scale.httpConnections, amount, batch, firstClient }), amount);
    };
    const { url, emptyUrl } = bench.urls;
    for (const { name, path, batch, amount, unit, budget } of [
      { name: "single", path: "request", batch: 0, amount: scale.httpRequests, unit: "requests/s", budget: 0.6 },
      { name: `batch-${BATCH}`, path: "requests", batch: BATCH, amount: scale.httpBatches, unit: "elements/s", budget: 0.5 },
    ] as const) {
      const ours: Sample[] = [];
      const empty: Sample[] = [];
      // In turns, so that a slow minute of the machine meets both.
      for (let repetition = 0; repetition <= Math.min(scale.repetitions, 5); repetition++) {
        const one = await measure(emptyUrl, `/${path}`, batch, amount);
        const other = await measure(url, `/v1/endpoints/${ENDPOINT}/${path}`, batch, amount);
        if (repetition === 0) continue;
        empty.push(one);
        ours.push(other);
      }
      const rate = (samples: readonly Sample[]) => summarise(samples.map((one) => (one.answered * Math.max(1, batch)) / one.seconds));
      const of = (samples: readonly Sample[], key: "p50" | "p99" | "loopMax") => summarise(samples.map((one) => one[key]));
      report({
        name: `http.${name}`,
        unit,
        figure: rate(ours),
        peer: { name: "empty route", value: rate(empty).median },
        budget: { ofPeer: budget },
        note: `${spent("ours", ours)}; ${spent("empty route", empty)}`,
      });
      report({ name: `http.${name}.p50`, unit: "ms", figure: of(ours, "p50"), peer: { name: "empty route", value: of(empty, "p50").median } });
      report({ name: `http.${name}.p99`, unit: "ms", figure: of(ours, "p99"), peer: { name: "empty route", value: of(empty, "p99").median }, ...(batch === 0 && { budget: { limit: 10 } }) });
      report({ name: `http.${name}.event-loop-held`, unit: "ms", figure: of(ours, "loopMax"), peer: { name: "empty route", value: of(empty, "loopMax").median } });
    }
  } finally {
    await bench.stop();
  }
}
