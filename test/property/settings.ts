/** How many scripts a property plays. `HOLDFAST_RUNS` multiplies nothing: it is the number itself. */
import type { Parameters } from "fast-check";

/** Runs for one property: `usual`, or HOLDFAST_RUNS where that is set; HOLDFAST_SEED repeats a printed failure. */
export function runs<T>(usual: number): Parameters<T> {
  const numRuns = wholeNumber("HOLDFAST_RUNS") ?? usual;
  const seed = wholeNumber("HOLDFAST_SEED");
  return { numRuns, ...(seed === undefined ? {} : { seed }), endOnFailure: false };
}

function wholeNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  if (!/^-?\d+$/.test(text)) throw new Error(`${name} must be a whole number, not "${text}"`);
  return Number(text);
}

/** Milliseconds a property test may take at `numRuns` runs before vitest gives it up for hung. */
export function patience(numRuns: number): number {
  return 60_000 + numRuns * 1000;
}
