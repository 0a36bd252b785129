/**
 * Bearer tokens as configured. Secrets are hashed here and forgotten; a list may hold the hash alone
 * (`sha256`), so that the file itself is no secret.
 */
import { roles, tokenDigest } from "../auth.js";
import type { Role, Token } from "../auth.js";
import { ValueFault } from "./fault.js";

/** Shorter secrets can be guessed; `openssl rand -hex 32` makes a good one. */
export const secretLengthMin = 16;
const tokensMax = 256;

/**
 * Reads a list of `{name, role | roles, token | sha256}`, or from text `name:role+role:token,...`. Refuses
 * unknown fields and roles, short secrets, and two tokens of one name or secret.
 */
export function readTokens(value: unknown): readonly Token[] {
  const list = typeof value === "string" ? fromText(value) : value;
  if (!Array.isArray(list))
    throw new ValueFault("takes a list of {name, role, token}, or text like ci:operator:<secret>,nse:agent:<secret>");
  if (list.length > tokensMax) throw new ValueFault(`has ${list.length} tokens; at most ${tokensMax} are taken`);
  const tokens = list.map((entry: unknown, index) => readToken(entry, index));
  requireDistinct(tokens);
  return tokens;
}

/** Two tokens of one name would be one actor in the log; two of one secret have no name. */
export function requireDistinct(tokens: readonly Token[]): void {
  const names = new Set<string>();
  const digests = new Map<string, string>();
  for (const { name, digest } of tokens) {
    if (names.has(name)) throw new ValueFault(`has two tokens named ${JSON.stringify(name)}`);
    names.add(name);
    const same = digests.get(digest.toString("hex"));
    if (same !== undefined) throw new ValueFault(`gives ${JSON.stringify(same)} and ${JSON.stringify(name)} the same secret`);
    digests.set(digest.toString("hex"), name);
  }
}

function fromText(text: string): unknown {
  if (text.trimStart().startsWith("[")) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ValueFault("starts like a JSON list and is not JSON");
    }
  }
  return text.split(",").map((part, index) => {
    const [name, role, ...secret] = part.trim().split(":");
    if (name === undefined || role === undefined || secret.length === 0) throw new ValueFault(`token ${index + 1} is not name:role:secret`);
    return { name, roles: role.split("+"), token: secret.join(":") };
  });
}

function readToken(entry: unknown, index: number): Token {
  const which = `token ${index + 1}`;
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    throw new ValueFault(`${which} is not an object of name, role and token`);
  const { name, role, roles: several, token, sha256, ...unknown } = entry as Record<string, unknown>;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) throw new ValueFault(`${which} has the unknown field ${JSON.stringify(stranger)}`);
  // Names stand as actor in events; `system` and `anonymous` are ours.
  if (typeof name !== "string" || !/^[A-Za-z0-9._@/-]{1,64}$/.test(name) || name === "system" || name === "anonymous") {
    throw new ValueFault(`${which} needs a name of 1 to 64 letters, digits and . _ @ / -, other than system and anonymous`);
  }
  if ((role === undefined) === (several === undefined)) throw new ValueFault(`token ${JSON.stringify(name)} needs role or roles`);
  const given = several === undefined ? [role] : several;
  if (!Array.isArray(given) || given.length === 0) throw new ValueFault(`roles of token ${JSON.stringify(name)} is not a list`);
  const known = given.map((one: unknown): Role => {
    const found = roles.find((candidate) => candidate === one);
    if (found === undefined)
      throw new ValueFault(`token ${JSON.stringify(name)} has the unknown role ${JSON.stringify(one)}; roles are ${roles.join(", ")}`);
    return found;
  });
  return { name, roles: known, digest: readDigest(name, token, sha256) };
}

function readDigest(name: string, token: unknown, sha256: unknown): Buffer {
  if ((token === undefined) === (sha256 === undefined)) throw new ValueFault(`token ${JSON.stringify(name)} needs token or sha256`);
  if (sha256 !== undefined) {
    if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(sha256))
      throw new ValueFault(`sha256 of token ${JSON.stringify(name)} is not 64 hex digits`);
    return Buffer.from(sha256, "hex");
  }
  if (typeof token !== "string" || token.length < secretLengthMin || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ValueFault(
      `the secret of token ${JSON.stringify(name)} must have at least ${secretLengthMin} printable ASCII characters without spaces`,
    );
  }
  return tokenDigest(token);
}
