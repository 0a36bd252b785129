/** The process that makes the load: autocannon with a body of its own for each request. */
import autocannon from "autocannon";
import { percentile } from "../harness/sample.js";
import { requestBody } from "./messages.js";

export interface LoadOrder {
  readonly url: string;
  readonly connections: number;
  /** Requests in all; the load ends with the last answer. */
  readonly amount: number;
  /** Elements in each body: 0 sends a plain request, n an array of n. */
  readonly batch: number;
  /** Number of the first client; no client is used twice. */
  readonly firstClient: number;
}

export interface LoadResult {
  readonly seconds: number;
  readonly answered: number;
  /** Answers with another status than 200. */
  readonly refused: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the load itself, as a share of one core: near 1 it is the load that is slow. */
  readonly loadShare: number;
}

/** Bodies are made before the clock starts: writing JSON is not what is measured. */
function bodiesOf({ amount, batch, firstClient }: LoadOrder): string[] {
  return Array.from({ length: amount }, (_, i) =>
    JSON.stringify(batch === 0 ? requestBody(firstClient + i) : Array.from({ length: batch }, (__, k) => requestBody(firstClient + i * batch + k))),
  );
}

function fire(order: LoadOrder): Promise<LoadResult> {
  const bodies = bodiesOf(order);
  const latencies: number[] = [];
  let next = 0;
  let refused = 0;
  let started = 0;
  let ended = 0;
  let used = process.cpuUsage();
  return new Promise((resolve, reject) => {
    const instance = autocannon(
      {
        url: order.url,
        connections: order.connections,
        amount: order.amount,
        timeout: 30,
        requests: [
          {
            method: "POST",
            headers: { "content-type": "application/json" },
            setupRequest: (request) => ({ ...request, body: bodies[next++ % bodies.length] as string }),
          },
        ],
      },
      (error: unknown, result) => {
        if (error !== null && error !== undefined) return reject(error as Error);
        // To the last answer: the tool itself ends only with its next second.
        const seconds = (ended - started) / 1000;
        const { user, system } = process.cpuUsage(used);
        resolve({
          seconds,
          answered: latencies.length,
          refused,
          errors: result.errors,
          p50: percentile(latencies, 0.5),
          p99: percentile(latencies, 0.99),
          loadShare: (user + system) / 1e6 / seconds,
        });
      },
    );
    instance.on("start", () => {
      started = performance.now();
      used = process.cpuUsage();
    });
    instance.on("response", (_client, status, _bytes, duration) => {
      ended = performance.now();
      latencies.push(duration);
      if (status !== 200) refused++;
    });
  });
}

process.on("message", (order: LoadOrder) => {
  fire(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));
