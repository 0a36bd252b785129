/**
 * Histograms and counters that cost a few nanoseconds on the way of a request. prom-client validates and
 * spells out the labels at every observation, which is more than the rest of a small request; here the
 * label set is resolved once and the numbers are handed to its registry when somebody scrapes.
 */
import type { Metric, Registry } from "prom-client";

interface Sample {
  readonly metricName?: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

function register(registry: Registry, name: string, help: string, type: "histogram" | "counter", samples: () => Sample[]): void {
  const metric = {
    name,
    help,
    type,
    get: () => Promise.resolve({ name, help, type, values: samples(), aggregator: "sum" }),
    reset: () => undefined,
  };
  registry.registerMetric(metric as unknown as Metric);
}

/** Upper bounds in ascending order; observations above the last count only in `+Inf`. */
export class Buckets {
  readonly #counts: Float64Array;
  count = 0;
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.#counts = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.count++;
    this.sum += value;
    const bounds = this.bounds;
    for (let index = 0; index < bounds.length; index++) {
      if (value <= (bounds[index] as number)) {
        this.#counts[index] = (this.#counts[index] as number) + 1;
        return;
      }
    }
  }

  samples(name: string, labels: Record<string, string>): Sample[] {
    let cumulated = 0;
    const samples: Sample[] = this.bounds.map((bound, index) => {
      cumulated += this.#counts[index] as number;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: cumulated };
    });
    samples.push({ metricName: `${name}_bucket`, labels: { ...labels, le: "+Inf" }, value: this.count });
    samples.push({ metricName: `${name}_sum`, labels, value: this.sum });
    samples.push({ metricName: `${name}_count`, labels, value: this.count });
    return samples;
  }
}

/** A histogram with at most one label; one `Buckets` for each value of it. */
export class Histogram {
  readonly #series = new Map<string, Buckets>();

  constructor(
    registry: Registry,
    readonly name: string,
    help: string,
    readonly bounds: readonly number[],
    readonly label?: string,
  ) {
    if (label === undefined) this.of("");
    register(registry, name, help, "histogram", () =>
      [...this.#series].flatMap(([value, buckets]) => buckets.samples(name, label === undefined ? {} : { [label]: value })),
    );
  }

  /** The series of one label value; keep it where the value is known beforehand. */
  of(value: string): Buckets {
    let buckets = this.#series.get(value);
    if (buckets === undefined) this.#series.set(value, (buckets = new Buckets(this.bounds)));
    return buckets;
  }
}

/** A counter with one label. Values are from fixed lists (codes, outcomes), so there are few. */
export class Counter {
  readonly #values = new Map<string, number>();

  constructor(registry: Registry, name: string, help: string, label: string, known: readonly string[] = []) {
    for (const value of known) this.#values.set(value, 0);
    register(registry, name, help, "counter", () =>
      [...this.#values].map(([value, count]) => ({ labels: { [label]: value }, value: count })),
    );
  }

  add(value: string, amount = 1): void {
    this.#values.set(value, (this.#values.get(value) ?? 0) + amount);
  }
}
