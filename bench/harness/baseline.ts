/** Comparison with figures kept earlier: a change counts only where the two ranges do not touch. */
import { readFile } from "node:fs/promises";
import type { Speed } from "./calibrate.js";
import type { Machine } from "./machine.js";
import { isRate, type Row } from "./row.js";
import type { ScaleName } from "./scale.js";

export interface Result {
  readonly at: string;
  readonly scale: ScaleName;
  readonly machine: Machine;
  readonly speed: Speed;
  readonly rows: readonly Row[];
}

export interface Change {
  /** How much larger the median is than in the baseline. */
  readonly percent: number;
  /** More than a fifth worse, and every repetition worse than every one of the baseline. */
  readonly worse: boolean;
}

/** The baseline; undefined where there is none. A file that is no baseline is an error, not a missing one. */
export async function readBaseline(path: string): Promise<Result | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const parsed = JSON.parse(text) as Partial<Result>;
  if (!Array.isArray(parsed.rows) || parsed.machine === undefined || parsed.speed === undefined || parsed.scale === undefined) {
    throw new Error(`${path}: not a result of the benchmarks (rows, machine, speed and scale are needed); delete it or write a new one with --save-baseline`);
  }
  return parsed as Result;
}

/** Changes by row name, for rows that both have in the same unit. */
export function compare(rows: readonly Row[], baseline: Result): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const row of rows) {
    const before = baseline.rows.find((one) => one.name === row.name && one.unit === row.unit);
    if (before === undefined || before.figure.median === 0) continue;
    const percent = (row.figure.median / before.figure.median - 1) * 100;
    const worse = isRate(row.unit)
      ? percent < -20 && row.figure.max < before.figure.min
      : percent > 20 && row.figure.min > before.figure.max;
    changes.set(row.name, { percent, worse });
  }
  return changes;
}
