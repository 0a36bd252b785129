/** How a log that cannot be written looks from outside. */
import type { StoreError, StoreErrorCode } from "../events/store.js";
import { Problem } from "./problem.js";
import type { ProblemCode } from "./problem.js";

const told: Readonly<Record<StoreErrorCode, readonly [ProblemCode, string]>> = {
  conflict: ["store-conflict", "Another writer kept appending to the log first. Nothing was changed; send it again."],
  unavailable: ["store-unavailable", "The log could not be written and nothing was changed; send it again."],
  full: ["store-full", "There is no room left to write the log and nothing was changed. Free disk space, then send it again."],
  unknown: [
    "store-unavailable",
    "A write of the log had no certain outcome, so nothing more is answered until the server has reopened it. Send the request again then: it is done once.",
  ],
  corrupt: ["store-unavailable", "The log holds bytes that are not what was written; see `holdfast log verify` and docs/recovery.md."],
  locked: ["store-unavailable", "Another process has this log open for writing."],
  closed: ["store-unavailable", "The server is stopping; send the request to it again when it is back."],
};

export function storeProblem(error: StoreError): Problem {
  const [code, detail] = told[error.code];
  const facts = error.facts.position === undefined ? {} : { position: error.facts.position };
  return new Problem(code, detail, { rule: `store-${error.code}`, ...facts }, {}, { cause: error });
}
