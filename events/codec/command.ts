/** Commands as the core reads them (docs/events.md, "Commands"). */
import type { Address, Prefix } from "../address.js";
import { compareAddresses, lastAddress, maskPrefix } from "../address.js";
import type { Command, ContextPlace, Envelope, RequestLease } from "../command.js";
import { writeEndpointSettings, writePoolSettings } from "./settings.js";
import type { RecordWriter } from "./writer.js";

export const commandKinds = [
  "define-pool",
  "retire-pool",
  "define-endpoint",
  "retire-endpoint",
  "request",
  "close",
  "cancel",
  "release-lease",
  "expire",
  "open-realm",
] as const satisfies readonly Command["kind"][];

const places: readonly ContextPlace[] = [
  "src-address",
  "dst-address",
  "src-route",
  "dst-route",
  "src-route-next-hop",
  "dst-route-next-hop",
  "policy-from",
  "policy-next-hop",
];
const placeNumber = new Map(places.map((place, i) => [place, i]));

const reselect = 1;
const knownOnly = 2;

interface Range {
  readonly first: Address;
  readonly last: Address;
}

/** Sorted ranges of the prefixes; bits behind their length are ignored, as NSM does. */
function rangesOf(prefixes: readonly Prefix[]): Range[] {
  const ranges = prefixes.map((prefix) => ({ first: maskPrefix(prefix).address, last: lastAddress(prefix) }));
  ranges.sort((a, b) => compareAddresses(a.first, b.first));
  return ranges;
}

function writeWords(out: RecordWriter, address: Address): void {
  if (address.family === 4) {
    out.u32(address.value);
    return;
  }
  const [a, b, c, d] = address.words;
  // Two 64-bit halves, little-endian, the high one first.
  out.u32(b);
  out.u32(a);
  out.u32(d);
  out.u32(c);
}

function writeRequest(out: RecordWriter, command: RequestLease): void {
  const ranges = command.excluded.length === 0 ? [] : rangesOf(command.excluded);
  const ipv6 = ranges.findIndex((range) => range.first.family === 6);
  const n4 = ipv6 < 0 ? ranges.length : ipv6;
  out.u32(n4);
  out.u32(ranges.length - n4);
  out.u16(command.items.length);
  for (const range of ranges) {
    writeWords(out, range.first);
    writeWords(out, range.last);
  }
  for (const item of command.items) {
    out.u8(placeNumber.get(item.place)!);
    out.u8(item.address.family);
    out.u8(item.length);
    out.u8(0);
    out.address16(item.address);
  }
}

function writeRevision(out: RecordWriter, revision: number | undefined): void {
  if (revision === undefined) out.ones64();
  else out.u64(revision);
}

function writeBody(out: RecordWriter, command: Command): void {
  switch (command.kind) {
    case "define-pool":
      out.text16(command.pool);
      writeRevision(out, command.ifRevision);
      writePoolSettings(out, command);
      return;
    case "define-endpoint":
      out.text16(command.endpoint);
      writeRevision(out, command.ifRevision);
      writeEndpointSettings(out, command);
      return;
    case "retire-pool":
      out.text16(command.pool);
      writeRevision(out, command.ifRevision);
      return;
    case "retire-endpoint":
      out.text16(command.endpoint);
      writeRevision(out, command.ifRevision);
      return;
    case "request":
    case "close":
    case "cancel":
      out.text16(command.endpoint);
      out.text16(command.client.name);
      out.text16(command.client.id);
      out.text16(command.connection);
      if (command.kind === "request") writeRequest(out, command);
      return;
    case "release-lease":
      out.u64(command.lease);
      return;
    case "expire":
      out.u32(command.limit);
      return;
    case "open-realm":
      out.u32(command.graceSeconds);
  }
}

/** Appends one command record. */
export function writeCommand(out: RecordWriter, command: Command, envelope: Envelope): void {
  const at = out.length;
  out.u32(0);
  out.u16(commandKinds.indexOf(command.kind) + 1);
  out.u16(command.kind === "request" ? (command.reselect ? reselect : 0) | (command.knownOnly ? knownOnly : 0) : 0);
  out.u64(envelope.now);
  out.text8(envelope.actor);
  out.text8(envelope.correlation);
  writeBody(out, command);
  out.patchLength(at);
}
