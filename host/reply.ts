/**
 * An answer before it is an HTTP response: plain, so that it can be remembered for an idempotency key and
 * becomes a `Response` without going through a header object.
 */
import type { Problem, ProblemCode } from "./problem.js";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Code of the problem, for the log and the metrics. */
  readonly code?: ProblemCode;
  /** Nothing was decided (the log could not be written, we are not ready): asking again is right. */
  readonly undecided?: boolean;
}

/** `value` as JSON. */
export function json(value: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Reply {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

/** Done, and there is nothing to show. */
export function noContent(headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 204, headers, body: null };
}

export function html(text: string): Reply {
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    },
    body: text,
  };
}

export function problemReply(problem: Problem): Reply {
  const undecided = problem.status === 503 || problem.status === 500 || problem.code === "unauthenticated" || problem.code === "forbidden";
  return {
    status: problem.status,
    headers: problem.responseHeaders(),
    body: JSON.stringify(problem.document()),
    code: problem.code,
    undecided,
  };
}
