/**
 * Problem documents (RFC 9457): every refusal that leaves the HTTP door has this shape, a code that never
 * changes its meaning, and the facts that led to it. Decides the status of each code; words only.
 */
import type { Json } from "./json-value.js";

const kinds = {
  invalid: { status: 400, title: "The request breaks a rule" },
  unauthenticated: { status: 401, title: "No valid token" },
  forbidden: { status: 403, title: "The token may not do this" },
  "not-found": { status: 404, title: "There is no such thing" },
  "method-not-allowed": { status: 405, title: "This method is not served here" },
  "address-held": { status: 409, title: "Somebody else holds the address" },
  "pool-overlap": { status: 409, title: "Another pool owns these addresses" },
  "in-use": { status: 409, title: "It is still in use" },
  "idempotency-mismatch": { status: 409, title: "The idempotency key was used for another request" },
  "connection-expired": { status: 410, title: "The connection's lease ran out" },
  "precondition-failed": { status: 412, title: "It changed since you read it" },
  "too-large": { status: 413, title: "More than the limit" },
  "unsupported-media-type": { status: 415, title: "The body must be JSON" },
  internal: { status: 500, title: "A fault of the server" },
  recovering: { status: 503, title: "The log is still being replayed" },
  "store-conflict": { status: 503, title: "Another writer was first" },
  "store-unavailable": { status: 503, title: "The log cannot be written" },
  overloaded: { status: 503, title: "Too many at once" },
  "pool-exhausted": { status: 507, title: "No free addresses" },
  "table-full": { status: 507, title: "A table is full" },
  "store-full": { status: 507, title: "No room in the log" },
} as const;

export type ProblemCode = keyof typeof kinds;

export const problemCodes = Object.keys(kinds) as readonly ProblemCode[];

/** HTTP status of a code; the table in docs/http-api.md lists the same. */
export function statusOf(code: ProblemCode): number {
  return kinds[code].status;
}

export function titleOf(code: ProblemCode): string {
  return kinds[code].title;
}

/** Seconds in `Retry-After` of a 503: long enough to commit or reopen, short enough for a heal. */
const retryAfterSeconds = "1";

export type Facts = Readonly<Record<string, Json | undefined>>;

/** Thrown at the edges, turned into a document in one place (`route.ts`); never crosses into `events/`. */
export class Problem extends Error {
  override readonly name = "Problem";
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly facts: Facts = {},
    readonly headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail}`, options);
  }

  get status(): number {
    return kinds[this.code].status;
  }

  /** The document as a plain object; `code` and `status` tell it from a Connection in a batch answer. */
  document(): Record<string, Json> {
    const document: Record<string, Json> = {
      type: `urn:holdfast:problem:${this.code}`,
      title: kinds[this.code].title,
      status: kinds[this.code].status,
      detail: this.detail,
      code: this.code,
    };
    for (const [name, value] of Object.entries(this.facts)) {
      if (value !== undefined) document[name] = value;
    }
    return document;
  }

  /** Headers the code asks for, beside those given. */
  responseHeaders(): Record<string, string> {
    const headers: Record<string, string> = { "content-type": "application/problem+json", ...this.headers };
    if (this.status === 503) headers["Retry-After"] ??= retryAfterSeconds;
    return headers;
  }
}

/**
 * A value that breaks a rule. `field` is the path to it as the API spells it (`prefixes[0]`), `rule` a
 * stable kebab-case name, `detail` a sentence with the value and what to write instead.
 */
export function invalid(field: string, rule: string, detail: string, facts: Facts = {}): Problem {
  return new Problem("invalid", detail, { field, rule, ...facts });
}

/** More elements or bytes than a limit; `limit` is the number that is still allowed. */
export function tooLarge(field: string, rule: string, limit: number, detail: string): Problem {
  return new Problem("too-large", detail, { field, rule, limit });
}

/** `text` cut to a length that is safe to show in a sentence. */
export function shown(text: string): string {
  return text.length <= 64 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 60))}... (${text.length} characters)`;
}
