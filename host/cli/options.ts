/**
 * Values on the command line: parsed once, refused with the rule and an example. What only the server can
 * judge (is it a prefix, does the pool exist) is left to it.
 */
import { InvalidArgumentError, Option } from "commander";

/** A whole number of at least `min`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(
        max === Number.MAX_SAFE_INTEGER
          ? `It takes a whole number from ${min} on.`
          : `It takes a whole number from ${min} to ${max}.`,
      );
    }
    return value;
  };
}

/** Collects a repeatable option; values may also be separated by commas. */
export function several(text: string, before: readonly string[] | undefined): string[] {
  return [
    ...(before ?? []),
    ...text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ];
}

const timeForm = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** A position or an RFC 3339 time, as text: it goes to the server as it is. */
export function moment(text: string): string {
  if (/^\d{1,16}$/.test(text)) return text;
  if (timeForm.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError("It takes a position like 812 or a time like 2026-11-30T14:02:00Z.");
}

export const urlDefault = "http://127.0.0.1:8080";

export function urlOption(): Option {
  return new Option("--url <url>", "server to talk to").env("HOLDFAST_URL").default(urlDefault);
}

export function tokenOption(): Option {
  return new Option("--token <token>", "bearer token; better in the environment").env("HOLDFAST_TOKEN");
}

export function atOption(): Option {
  return new Option("--at <moment>", "state at a position or RFC 3339 time instead of now").argParser(moment);
}

export function jsonOption(): Option {
  return new Option("--json", "print JSON");
}
