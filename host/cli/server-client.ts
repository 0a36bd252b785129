/**
 * Talks to a running server: one request, one answer, and a failure that says which it was (not there, refused,
 * not a Holdfast server). Never repeats a request by itself: whether a write may be sent again is the caller's call.
 */
import { CliFailure, reasons } from "./failure.js";
import { exitCode } from "./exit-code.js";
import { refusalFailure } from "./refusal.js";

/** Longer than the server's own limits, so that its answer comes first. */
const answerWithinMs = 30_000;

export interface Answer<T> {
  readonly body: T;
  readonly status: number;
  /** Without quotes; absent where the server sent none. */
  readonly etag: string | undefined;
  readonly position: number | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Precondition of a write: the revision that must be there, or that nothing may be there. */
export type Condition = { readonly revision: string } | "absent";

export class ServerClient {
  readonly #base: URL;

  /** `url` as on the command line; refuses anything but http and https. */
  constructor(
    url: string,
    readonly token: string | undefined,
  ) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
      throw new CliFailure(
        exitCode.usage,
        `--url must be an http or https address, not ${JSON.stringify(url)}.`,
        "Write it like http://127.0.0.1:8080.",
      );
    }
    if (parsed.username !== "" || parsed.password !== "") {
      throw new CliFailure(
        exitCode.usage,
        "--url must not hold a user name or password.",
        "Give a token with HOLDFAST_TOKEN or --token.",
      );
    }
    parsed.search = "";
    parsed.hash = "";
    if (!parsed.pathname.endsWith("/")) parsed.pathname += "/";
    this.#base = parsed;
  }

  get url(): string {
    return this.#base.href.replace(/\/$/, "");
  }

  get<T>(path: string, query: Query = {}): Promise<Answer<T>> {
    return this.#send<T>("GET", path, query);
  }

  put<T>(path: string, body: unknown, condition?: Condition): Promise<Answer<T>> {
    return this.#send<T>("PUT", path, {}, body, condition);
  }

  post<T>(path: string, body: unknown): Promise<Answer<T>> {
    return this.#send<T>("POST", path, {}, body);
  }

  delete<T>(path: string, condition?: Condition): Promise<Answer<T>> {
    return this.#send<T>("DELETE", path, {}, undefined, condition);
  }

  async #send<T>(method: string, path: string, query: Query, body?: unknown, condition?: Condition): Promise<Answer<T>> {
    const url = new URL(path.replace(/^\//, ""), this.#base);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { accept: "application/json, application/problem+json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (this.token !== undefined) headers["authorization"] = `Bearer ${this.token}`;
    if (condition === "absent") headers["if-none-match"] = "*";
    else if (condition !== undefined) headers["if-match"] = `"${condition.revision}"`;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        headers,
        // A redirect would send the token to whoever it names.
        redirect: "manual",
        signal: AbortSignal.timeout(answerWithinMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      throw this.#unreachable(method, error);
    }
    const value = parsed(text);
    if (!response.ok) {
      if (isRecord(value) && typeof value["code"] === "string" && typeof value["detail"] === "string")
        throw refusalFailure(value);
      throw this.#foreign(`it answered ${response.status} without saying why`);
    }
    if (text !== "" && value === undefined) throw this.#foreign("its answer is not JSON");
    const position = response.headers.get("holdfast-position");
    return {
      body: value as T,
      status: response.status,
      etag: response.headers.get("etag")?.replace(/^"|"$/g, ""),
      position: position === null ? undefined : Number(position),
    };
  }

  #unreachable(method: string, error: unknown): CliFailure {
    const timeout = error instanceof Error && error.name === "TimeoutError";
    const why = timeout ? `no answer within ${answerWithinMs / 1000} s` : connectionFault(error);
    const unsure = timeout && method !== "GET" ? " Whether it did what was asked is not known; look before you ask again." : "";
    return new CliFailure(
      exitCode.unreachable,
      `Cannot reach the server at ${this.url}: ${why}.${unsure}`,
      "Is it running? Start one with `holdfast serve`, or name another with --url or HOLDFAST_URL.",
      { url: this.url },
      { cause: error },
    );
  }

  #foreign(what: string): CliFailure {
    return new CliFailure(
      exitCode.failure,
      `What listens at ${this.url} does not answer like a Holdfast server: ${what}.`,
      "Check --url or HOLDFAST_URL.",
      { url: this.url },
    );
  }
}

/** What a person calls the codes of a failed connection; others are shown as they are. */
const faults: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be looked up now",
  ECONNRESET: "the connection broke",
  UND_ERR_SOCKET: "the connection broke",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the host",
};

function connectionFault(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = "code" in current ? String(current.code) : "";
    if (faults[code] !== undefined) return faults[code];
  }
  return reasons(error).at(-1) ?? "the connection broke";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
