/**
 * Who may do what. A request shows a bearer token; the token's name becomes the actor in every event it
 * causes. Knows nothing of HTTP routes: they name the action they are, `allowedRoles` says who may.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.js";

export const roles = ["reader", "operator", "agent", "auditor"] as const;
export type Role = (typeof roles)[number];

/**
 * `open`: also without a token (probes, documentation). `read`: pools, endpoints, leases, now and at any
 * moment. `lease`: request, close, cancel. `configure`: change pools and endpoints, take leases away.
 * `audit`: the log and its events. `observe`: metrics.
 */
export type Action = "open" | "read" | "lease" | "configure" | "audit" | "observe";

export const allowedRoles: Readonly<Record<Exclude<Action, "open">, readonly Role[]>> = {
  read: ["reader", "operator", "agent", "auditor"],
  lease: ["agent", "operator"],
  configure: ["operator"],
  audit: ["auditor", "operator"],
  observe: ["reader", "operator", "auditor"],
};

/** A token as configured: the secret itself is hashed on reading and not kept. */
export interface Token {
  /** Stands as actor in the log; 1 to 255 bytes. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** SHA-256 of the secret. */
  readonly digest: Buffer;
}

/** Actor where no tokens are configured. */
export const anonymous = "anonymous";

export function tokenDigest(secret: string): Buffer {
  return createHash("sha256").update(secret, "utf8").digest();
}

const challenge = { "WWW-Authenticate": 'Bearer realm="holdfast"' } as const;

/** Names a browser on this machine uses for itself; anything else is a foreign page that was pointed here. */
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

export class Authenticator {
  #lastHost: string | undefined;

  constructor(readonly tokens: readonly Token[]) {}

  get required(): boolean {
    return this.tokens.length > 0;
  }

  /**
   * Name of the caller, if it may do `action`. Refuses `unauthenticated` without a known token and
   * `forbidden` with a token whose roles do not cover it.
   *
   * Without tokens everything is allowed, but only to callers that address us by a loopback name: a web page
   * whose name was made to resolve to 127.0.0.1 must not drive an unprotected instance through a browser.
   */
  actor(action: Action, authorization: string | undefined, host: string | undefined): string {
    if (!this.required) {
      if (host !== undefined && host !== this.#lastHost) {
        if (!loopbackHost.test(host)) {
          throw new Problem(
            "forbidden",
            `Without tokens only requests addressed to a loopback name are served, this one is addressed to ${JSON.stringify(host.slice(0, 255))}; configure tokens to serve other names.`,
            {
              field: "Host",
              rule: "loopback-host",
            },
          );
        }
        this.#lastHost = host;
      }
      return anonymous;
    }
    if (action === "open") return anonymous;
    const token = this.#find(authorization);
    const allowed = allowedRoles[action];
    if (!token.roles.some((role) => allowed.includes(role))) {
      throw new Problem(
        "forbidden",
        `The token ${JSON.stringify(token.name)} has the role ${token.roles.join(", ")}; this needs ${allowed.join(" or ")}.`,
        {
          rule: "role",
          subject: token.name,
          roles: [...token.roles],
          needed: [...allowed],
        },
      );
    }
    return token.name;
  }

  #find(authorization: string | undefined): Token {
    const secret = authorization === undefined ? undefined : /^bearer +([^\s]+)$/i.exec(authorization)?.[1];
    if (secret === undefined) {
      throw new Problem(
        "unauthenticated",
        "Send a token as Authorization: Bearer <token>.",
        { field: "Authorization", rule: "bearer" },
        challenge,
      );
    }
    const digest = tokenDigest(secret);
    let found: Token | undefined;
    // All of them, always: how long a refusal takes must not say how near a guess came.
    for (const token of this.tokens) {
      if (timingSafeEqual(token.digest, digest)) found = token;
    }
    if (found === undefined) {
      throw new Problem(
        "unauthenticated",
        "No configured token matches the one sent.",
        { field: "Authorization", rule: "bearer" },
        { "WWW-Authenticate": `${challenge["WWW-Authenticate"]}, error="invalid_token"` },
      );
    }
    return found;
  }
}
