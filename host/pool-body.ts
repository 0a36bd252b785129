/**
 * What `PUT /v1/pools/{pool}` takes. Checks what one body can be wrong in by itself, each with the field and
 * what to write instead; what depends on other pools is the core's to decide.
 */
import { z } from "@hono/zod-openapi";
import { addressBits, formatPrefix, hasHostBits, maskPrefix, parseAddress, parsePrefix } from "../events/address.js";
import type { Prefix } from "../events/address.js";
import type { DefinePool } from "../events/command.js";
import { invalid, shown, tooLarge } from "./problem.js";

export const prefixesMax = 256;
export const reservedMax = 1024;
const secondsMax = 31_536_000;

const seconds = (min: number): z.ZodInt => z.int().min(min).max(secondsMax);

export const poolBodySchema = z
  .strictObject({
    mode: z
      .enum(["pair", "single", "prefix"])
      .openapi({ description: "pair: two addresses per client; single: one; prefix: delegates sub-prefixes (not served yet)" }),
    prefixes: z
      .array(z.string())
      .min(1)
      .openapi({ example: ["172.16.1.0/24"], description: `1 to ${prefixesMax}, one family, no host bits, disjoint` }),
    reserved: z
      .array(z.string())
      .default([])
      .openapi({ example: ["172.16.1.255"], description: `At most ${reservedMax} addresses or prefixes that are never leased` }),
    leaseSeconds: seconds(1).default(600),
    graceSeconds: seconds(0)
      .default(60)
      .openapi({ description: "How long an expired lease is kept for a late refresh's Close and Request" }),
    cooldownSeconds: seconds(0).default(0).openapi({ description: "How long nobody gets the addresses of an ended lease" }),
    draining: z.boolean().default(false).openapi({ description: "Keeps its leases and gives no new ones" }),
    delegatedLength: z.int().min(1).max(128).optional().openapi({ description: "Only in mode prefix" }),
  })
  .openapi("PoolSettings");

export type PoolBody = z.output<typeof poolBodySchema>;

/** The settings of a define-pool command. Refuses `invalid` and `too-large`. */
export function readPoolBody(body: PoolBody): Omit<DefinePool, "kind" | "pool" | "ifRevision"> {
  if (body.mode === "prefix")
    throw invalid("mode", "mode-served", "Pools of mode prefix are not served by this version; use pair or single.");
  if (body.delegatedLength !== undefined)
    throw invalid(
      "delegatedLength",
      "mode-prefix-only",
      `delegatedLength belongs to pools of mode prefix; this one has mode ${body.mode}. Leave it out.`,
    );
  if (body.prefixes.length > prefixesMax)
    throw tooLarge(
      "prefixes",
      "prefixes-count",
      prefixesMax,
      `prefixes has ${body.prefixes.length} entries; a pool has at most ${prefixesMax}.`,
    );
  if (body.reserved.length > reservedMax)
    throw tooLarge(
      "reserved",
      "reserved-count",
      reservedMax,
      `reserved has ${body.reserved.length} entries; a pool has at most ${reservedMax}.`,
    );
  const prefixes = distinct(body.prefixes, "prefixes", (text, field) => readPrefix(text, field));
  const reserved = distinct(body.reserved, "reserved", (text, field) => readReserved(text, field));
  const family = prefixes[0]?.address.family;
  for (const [name, list, texts] of [
    ["prefixes", prefixes, body.prefixes],
    ["reserved", reserved, body.reserved],
  ] as const) {
    list.forEach((prefix, index) => {
      if (prefix.address.family !== family) {
        throw invalid(
          `${name}[${index}]`,
          "one-family",
          `${shown(texts[index] ?? "")} is IPv${prefix.address.family} and prefixes[0] is IPv${family}: a pool has one family. Make a second pool and put both in the endpoint's chain.`,
        );
      }
    });
  }
  return {
    mode: body.mode,
    prefixes,
    reserved,
    leaseSeconds: body.leaseSeconds,
    graceSeconds: body.graceSeconds,
    cooldownSeconds: body.cooldownSeconds,
    draining: body.draining,
  };
}

function distinct(texts: readonly string[], name: string, read: (text: string, field: string) => Prefix): Prefix[] {
  const seen = new Map<string, number>();
  return texts.map((text, index) => {
    const field = `${name}[${index}]`;
    const prefix = read(text, field);
    const canonical = formatPrefix(prefix);
    const before = seen.get(canonical);
    if (before !== undefined) throw invalid(field, "duplicate", `${canonical} is already at ${name}[${before}]; write it once.`);
    seen.set(canonical, index);
    return prefix;
  });
}

/** A prefix with its length and no host bits. */
export function readPrefix(text: string, field: string): Prefix {
  const prefix = text.includes("/") ? parsePrefix(text) : undefined;
  if (prefix === undefined) throw prefixFault(text, field);
  refuseHostBits(prefix, text, field);
  return prefix;
}

/** An address, or a prefix without host bits. */
function readReserved(text: string, field: string): Prefix {
  const entry = parsePrefix(text);
  if (entry === undefined)
    throw text.includes("/")
      ? prefixFault(text, field)
      : invalid(field, "address-form", `${shown(text)} is neither an address nor a prefix.`);
  refuseHostBits(entry, text, field);
  return entry;
}

function refuseHostBits(prefix: Prefix, text: string, field: string): void {
  if (!hasHostBits(prefix)) return;
  const canonical = formatPrefix(maskPrefix(prefix));
  throw invalid(
    field,
    "host-bits",
    `${shown(text)} has bits set behind its length ${prefix.length}; write ${canonical} if the whole prefix is meant.`,
    { canonical },
  );
}

/** Says which part of a prefix is wrong. */
function prefixFault(text: string, field: string): ReturnType<typeof invalid> {
  const slash = text.indexOf("/");
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === undefined)
    return invalid(field, "prefix-form", `${shown(text)} is no prefix; write an address and a length, like 172.16.1.0/24 or fd00::/64.`);
  const full = addressBits(address.family);
  if (slash < 0) return invalid(field, "prefix-form", `${shown(text)} has no length; write ${text}/${full} if that one address is meant.`);
  return invalid(
    field,
    "prefix-length",
    `${shown(text)} has the length ${shown(text.slice(slash + 1))}; an IPv${address.family} prefix has a length from 0 to ${full}.`,
    { max: full },
  );
}
