/**
 * A problem document from a server as words for a person: what was refused, the facts it came with, and which
 * command helps. The server speaks of fields and headers; here stands what to type.
 */
import { CliFailure } from "./failure.js";
import { exitCode } from "./exit-code.js";

export type ProblemDocument = Readonly<Record<string, unknown>>;

/** Members every document has, and those that `detail` already says in words. */
const told = new Set(["type", "title", "status", "detail", "code", "instance"]);

/** The failure a refusal ends the command with, exit code 3. */
export function refusalFailure(problem: ProblemDocument): CliFailure {
  return new CliFailure(exitCode.refused, String(problem["detail"]), nextStep(problem), problem);
}

/** `name value` pairs of the facts in a problem document, in its order. */
export function refusalFacts(problem: ProblemDocument): [string, string][] {
  return Object.entries(problem)
    .filter(([name, value]) => !told.has(name) && value !== undefined && value !== null && value !== "")
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
}

function nextStep(problem: ProblemDocument): string {
  const subject = typeof problem["subject"] === "string" && problem["subject"] !== "" ? problem["subject"] : undefined;
  switch (problem["code"]) {
    case "unauthenticated":
      return "Give a token with HOLDFAST_TOKEN (or --token, which others on this machine can see).";
    case "forbidden":
      return "Use a token whose role may do this.";
    case "not-found":
      return "See what there is with `holdfast pool list`, `holdfast endpoint list` or `holdfast lease list`.";
    case "pool-overlap":
      return subject === undefined ? "See `holdfast pool list`." : `See \`holdfast pool show ${subject}\`.`;
    case "in-use":
      return "See who uses it with `holdfast lease list` and `holdfast endpoint list`; `holdfast pool drain` stops new leases.";
    case "precondition-failed":
      return "Somebody changed it meanwhile: look at it again, then repeat the command.";
    case "pool-exhausted":
      return "See `holdfast pool list` for room and `holdfast lease list` for who holds what.";
    case "recovering":
      return "The server is starting; try again in a moment.";
    case "overloaded":
    case "store-conflict":
      return "Try again.";
    case "store-full":
      return "Free space on the server's disk.";
    case "store-unavailable":
      return "Look at the server's own log; it may need a restart.";
    default:
      return "";
  }
}
