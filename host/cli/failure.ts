/**
 * A command that ends badly for a known reason: what happened, what to do next, and the exit code. Anything
 * else that is thrown is a fault of this program and is shown with its causes.
 */
import type { ExitCode } from "./exit-code.js";

export class CliFailure extends Error {
  override readonly name = "CliFailure";
  constructor(
    readonly exit: ExitCode,
    message: string,
    /** A sentence that says what to try; empty if there is nothing to say. */
    readonly next = "",
    /** For `--json`: stable fields beside `message`. */
    readonly facts: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What went wrong and why, outermost first; an aggregate (two addresses of one host) shows its first cause. */
export function reasons(error: unknown): string[] {
  const texts: string[] = [];
  let current: unknown = error;
  while (current !== undefined && current !== null && texts.length < 8) {
    if (current instanceof AggregateError && current.message === "") {
      current = current.errors[0];
      continue;
    }
    const text = current instanceof Error ? current.message : String(current);
    if (text !== "" && texts[texts.length - 1] !== text) texts.push(text);
    current = current instanceof Error ? current.cause : undefined;
  }
  return texts;
}
