/** Repetition and its summary. */
import type { Figure } from "./row.js";

/** Median, smallest and largest; refuses an empty list, which would be a figure out of nothing. */
export function summarise(samples: readonly number[]): Figure {
  if (samples.length === 0) throw new RangeError("no samples to summarise");
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  const median = sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
  return { median, min: sorted[0] as number, max: sorted[sorted.length - 1] as number, repetitions: sorted.length };
}

/** Value that `share` (0 to 1) of the samples do not exceed. */
export function percentile(samples: readonly number[] | Float64Array, share: number): number {
  if (samples.length === 0) throw new RangeError("no samples to take a percentile of");
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] as number;
}

/** Calls `measure` once to warm up, then `repetitions` times; `measure` gives one figure a call. */
export async function repeat(repetitions: number, measure: (repetition: number) => number | Promise<number>): Promise<Figure> {
  await measure(0);
  const samples: number[] = [];
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    globalThis.gc?.();
    samples.push(await measure(repetition));
  }
  return summarise(samples);
}

/** Milliseconds, with the resolution of the machine's clock. */
export function milliseconds(): number {
  return performance.now();
}
