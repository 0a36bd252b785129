/**
 * Query parameters: only the known ones, each at most once. A misspelt filter that is ignored answers a
 * question nobody asked.
 */
import type { Context } from "hono";
import { invalid, shown } from "./problem.js";

export const pageLimitDefault = 100;
export const pageLimitMax = 1000;

export type Query = Readonly<Record<string, string | undefined>>;

/** The parameters in `known`; refuses others and repeated ones. */
export function readQuery(context: Context, known: readonly string[]): Query {
  const given = context.req.queries();
  for (const [name, values] of Object.entries(given)) {
    if (!known.includes(name)) {
      throw invalid(
        name.slice(0, 64),
        "unknown-parameter",
        `${shown(name)} is no parameter here; ${known.length === 0 ? "there are none" : `known are ${known.join(", ")}`}.`,
      );
    }
    if (values.length > 1) throw invalid(name, "one-value", `${name} is given ${values.length} times; give it once.`);
  }
  return Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values[0]]));
}

/** A whole number from `min` to `max`; `otherwise` where it is not given. */
export function integerOf(query: Query, name: string, range: { readonly min: number; readonly max: number }, otherwise: number): number {
  const text = query[name];
  if (text === undefined) return otherwise;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= range.min && value <= range.max))
    throw invalid(name, "range", `${name} is a whole number from ${range.min} to ${range.max}, not ${shown(text)}.`);
  return value;
}

export function limitOf(query: Query): number {
  return integerOf(query, "limit", { min: 1, max: pageLimitMax }, pageLimitDefault);
}

/** One of `values`. */
export function oneOf<T extends string>(query: Query, name: string, values: readonly T[]): T | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const value = values.find((known) => known === text);
  if (value === undefined) throw invalid(name, "one-of", `${name} is one of ${values.join(", ")}, not ${shown(text)}.`);
  return value;
}
