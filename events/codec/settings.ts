/** A pool's and an endpoint's settings in bytes; the same spelling in commands, events and snapshots. */
import type { Prefix } from "../address.js";
import { formatPrefix } from "../address.js";
import type { ContextPolicy, PoolMode } from "../command.js";
import type { PoolSettings } from "../event.js";
import type { RecordReader } from "./reader.js";
import type { RecordWriter } from "./writer.js";

export const poolModes: readonly PoolMode[] = ["pair", "single", "prefix"];
export const contextPolicies: readonly ContextPolicy[] = ["replace", "append"];

export interface PoolValues {
  readonly mode: PoolMode;
  readonly prefixes: readonly Prefix[];
  readonly reserved: readonly Prefix[];
  readonly leaseSeconds: number;
  readonly graceSeconds: number;
  readonly cooldownSeconds: number;
  readonly draining: boolean;
}

function writePrefix(out: RecordWriter, prefix: Prefix): void {
  out.u8(prefix.address.family);
  out.u8(prefix.length);
  out.u16(0);
  out.address16(prefix.address);
}

function readPrefix(input: RecordReader): Prefix {
  const family = input.u8();
  const length = input.u8();
  input.u16();
  return { address: input.address16(family), length };
}

/** Writes the settings behind their length in four bytes. */
export function writePoolSettings(out: RecordWriter, pool: PoolValues): void {
  const at = out.length;
  out.u32(0);
  out.u8(poolModes.indexOf(pool.mode));
  out.u8(pool.draining ? 1 : 0);
  out.u16(0);
  out.u32(pool.leaseSeconds);
  out.u32(pool.graceSeconds);
  out.u32(pool.cooldownSeconds);
  out.u16(pool.prefixes.length);
  out.u16(pool.reserved.length);
  for (const prefix of pool.prefixes) writePrefix(out, prefix);
  for (const prefix of pool.reserved) writePrefix(out, prefix);
  out.patchU32(at, out.length - at - 4);
}

/** Reads settings behind their length. */
export function readPoolSettings(input: RecordReader): PoolSettings {
  input.u32();
  const mode = poolModes[input.u8()];
  if (mode === undefined) throw new RangeError("a pool mode that does not exist");
  const draining = input.u8() !== 0;
  input.u16();
  const leaseSeconds = input.u32();
  const graceSeconds = input.u32();
  const cooldownSeconds = input.u32();
  const prefixes = input.u16();
  const reserved = input.u16();
  const read = (count: number): string[] => Array.from({ length: count }, () => formatPrefix(readPrefix(input)));
  return { mode, prefixes: read(prefixes), reserved: read(reserved), leaseSeconds, graceSeconds, cooldownSeconds, draining };
}

export interface EndpointSettings {
  readonly chain: readonly (readonly string[])[];
  readonly contextPolicy: ContextPolicy;
}

export function writeEndpointSettings(out: RecordWriter, endpoint: EndpointSettings): void {
  const at = out.length;
  out.u32(0);
  out.u8(contextPolicies.indexOf(endpoint.contextPolicy));
  // More than a byte can count is more than the core allows: it refuses 255 as it refuses 300.
  out.u8(Math.min(endpoint.chain.length, 255));
  for (const group of endpoint.chain) {
    out.u8(Math.min(group.length, 255));
    for (const pool of group) out.text8(pool);
  }
  out.patchU32(at, out.length - at - 4);
}

export function readEndpointSettings(input: RecordReader): EndpointSettings {
  input.u32();
  const contextPolicy = contextPolicies[input.u8()];
  if (contextPolicy === undefined) throw new RangeError("a context policy that does not exist");
  const groups = input.u8();
  const chain = Array.from({ length: groups }, () => Array.from({ length: input.u8() }, () => input.text8()));
  return { chain, contextPolicy };
}
