/** What a benchmark reports: one figure beside its peer and its budget. */

/** A unit that ends in `/s` is a rate, where more is better; in every other unit less is. */
export type Unit = "ns" | "us" | "ms" | "s" | "bytes" | "kB" | `${string}/s`;

/** Median, smallest and largest of the repetitions. */
export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly repetitions: number;
}

export interface Peer {
  readonly name: string;
  /** In the unit of the row. */
  readonly value: number;
}

export interface Row {
  /** Stable: baselines are compared by it. */
  readonly name: string;
  readonly unit: Unit;
  readonly figure: Figure;
  /** A peer measured in the same run, or the name of a row of the Go program with its unit. */
  readonly peer?: Peer | { readonly go: string };
  /** A limit in the row's unit, or a share of the peer's figure that has to be reached. */
  readonly budget?: { readonly limit: number } | { readonly ofPeer: number };
  /** What the figure includes, and where the time went. */
  readonly note?: string;
}

export function isRate(unit: Unit): boolean {
  return unit.endsWith("/s");
}

const nanosecondsOf: Partial<Record<Unit, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

/** A figure in another unit of time; undefined where the two do not measure the same thing. */
export function convert(value: number, from: Unit, to: Unit): number | undefined {
  if (from === to) return value;
  const source = nanosecondsOf[from];
  const target = nanosecondsOf[to];
  return source === undefined || target === undefined ? undefined : (value * source) / target;
}

/** How many times better than the peer; below 1 the peer is ahead. */
export function timesBetter(unit: Unit, ours: number, peer: number): number {
  return isRate(unit) ? ours / peer : peer / ours;
}

/** Whether the median keeps the budget; undefined without a budget, or when it needs a peer that is missing. */
export function meets(row: Row, peer: Peer | undefined): boolean | undefined {
  const { budget, figure, unit } = row;
  if (budget === undefined) return undefined;
  if ("limit" in budget) return isRate(unit) ? figure.median >= budget.limit : figure.median <= budget.limit;
  if (peer === undefined) return undefined;
  return timesBetter(unit, figure.median, peer.value) >= budget.ofPeer;
}
