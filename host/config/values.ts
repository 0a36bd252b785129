/** Readers of single values. Text (flags, environment) and JSON (file) give the same value or the same fault. */
import { ValueFault } from "./fault.js";

function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 80 ? text : `${text.slice(0, 76)}...`;
}

export function text(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new ValueFault(`takes a text, not ${shownValue(value)}`);
  return value;
}

/** A whole number from `min` to `max`; `unit` is said in the fault. */
export function whole(min: number, max: number, unit: string): (value: unknown) => number {
  return (value) => {
    const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
    if (typeof number !== "number" || !Number.isInteger(number) || number < min || number > max) {
      throw new ValueFault(`takes a whole number of ${unit} from ${min} to ${max}, not ${shownValue(value)}`);
    }
    return number;
  };
}

export function choice<T extends string>(...values: readonly T[]): (value: unknown) => T {
  return (value) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw new ValueFault(`takes one of ${values.join(", ")}, not ${shownValue(value)}`);
    return found;
  };
}

/** A name as the log's files and streams can carry it. */
export function realmName(value: unknown): string {
  const name = text(value);
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name) || name === "." || name === "..")
    throw new ValueFault(`takes 1 to 64 letters, digits, dots, underscores or hyphens, not ${shownValue(value)}`);
  return name;
}
