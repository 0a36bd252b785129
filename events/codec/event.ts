/** Events between their two spellings: the core's records and JSON (docs/events.md, "Events"). */
import type { Address } from "../address.js";
import { formatAddress, parseAddress, parsePrefix } from "../address.js";
import type { Event, EventData, EventType, LeaseFacts, PoolSettings, ReleaseReason } from "../event.js";
import { moveReasons } from "./answer.js";
import { RecordReader } from "./reader.js";
import type { PoolValues } from "./settings.js";
import { readEndpointSettings, readPoolSettings, writeEndpointSettings, writePoolSettings } from "./settings.js";
import { RecordWriter } from "./writer.js";

/** Numbers of the event types in records. They never change their meaning. */
export const eventTypes: Readonly<Record<EventType, number>> = {
  "realm-opened": 1,
  "pool-defined": 2,
  "pool-changed": 3,
  "pool-retired": 4,
  "endpoint-defined": 5,
  "endpoint-changed": 6,
  "endpoint-retired": 7,
  "lease-granted": 16,
  "lease-renewed": 17,
  "lease-restored": 18,
  "lease-moved": 19,
  "lease-released": 20,
  "lease-expired": 21,
  "lease-cooled": 22,
};
const typeNames = new Map(Object.entries(eventTypes).map(([name, number]) => [number, name as EventType]));

const causes = ["new", "own", "claimed"] as const;
const releaseReasons: readonly ReleaseReason[] = ["closed", "cancelled", "replaced", "operator"];

const iso = (ms: number): string => new Date(ms).toISOString();

interface LeaseFields {
  readonly lease: number;
  readonly detail: number;
  readonly excluded: number;
  readonly timeA: number;
  readonly timeB: number;
  readonly facts: LeaseFacts;
  readonly from?: { readonly pool: string; readonly dst: string; readonly src: string };
}

function readLeaseFields(input: RecordReader, type: EventType): LeaseFields {
  const lease = input.u64();
  const family = input.u8();
  const detail = input.u8();
  const excluded = input.u16();
  const timeA = input.u64();
  const timeB = input.u64();
  const dst = formatAddress(input.address(family));
  const src = formatAddress(input.address(family));
  let from: LeaseFields["from"];
  if (type === "lease-moved") {
    const fromFamily = input.u8();
    const fromDst = formatAddress(input.address(fromFamily));
    const fromSrc = formatAddress(input.address(fromFamily));
    from = { pool: input.text8(), dst: fromDst, src: fromSrc };
  }
  const pool = input.text8();
  const endpoint = input.text8();
  const client = { name: input.text8(), id: input.text8() };
  const connection = input.text8();
  return { lease, detail, excluded, timeA, timeB, facts: { lease, client, connection, endpoint, pool, dst, src }, ...(from && { from }) };
}

function readData(input: RecordReader, type: EventType): EventData[EventType] {
  switch (type) {
    case "realm-opened":
      return { awayMs: input.u64(), graceUntil: iso(input.u64()) };
    case "pool-defined":
    case "pool-retired":
      return { pool: input.text8(), ...readPoolSettings(input) };
    case "pool-changed":
      return { pool: input.text8(), before: readPoolSettings(input), after: readPoolSettings(input) };
    case "endpoint-defined":
      return { endpoint: input.text8(), ...readEndpointSettings(input) };
    case "endpoint-changed":
      return { endpoint: input.text8(), before: readEndpointSettings(input), after: readEndpointSettings(input) };
    case "endpoint-retired":
      return { endpoint: input.text8() };
    case "lease-granted":
    case "lease-renewed":
    case "lease-restored":
    case "lease-moved":
    case "lease-released":
    case "lease-expired":
    case "lease-cooled":
      return readLeaseData(input, type);
  }
}

type LeaseEventType = Extract<EventType, `lease-${string}`>;

function readLeaseData(input: RecordReader, type: LeaseEventType): EventData[LeaseEventType] {
  const { facts, detail, excluded, timeA, timeB, from } = readLeaseFields(input, type);
  switch (type) {
    case "lease-granted":
      return { ...facts, expiresAt: iso(timeA), cause: causes[detail]!, excluded };
    case "lease-renewed":
    case "lease-restored":
      return { ...facts, expiresAt: iso(timeA), expiredAt: iso(timeB) };
    case "lease-moved":
      return { ...facts, from: from!, reason: moveReasons[detail - 1]!, expiresAt: iso(timeA), excluded };
    case "lease-released":
      return { ...facts, reason: releaseReasons[detail]! };
    case "lease-expired":
      return { ...facts, expiredAt: iso(timeA) };
    case "lease-cooled":
      return facts;
  }
}

/** Reads the next event record. Throws on a type or version this program does not know. */
export function readEvent(input: RecordReader): Event {
  const start = input.at;
  const size = input.u32();
  const number = input.u16();
  const type = typeNames.get(number);
  const version = input.u16();
  const position = input.u64();
  if (type === undefined || version !== 1) {
    throw new RangeError(`event ${position} has type ${number} version ${version}, which this version does not know; read it with a newer one`);
  }
  const time = iso(input.u64());
  const causation = input.u64();
  const actor = input.text8();
  const correlation = input.text8();
  const data = readData(input, type);
  input.at = start + size;
  return { position, time, type, version, actor, correlation, causation, data } as Event;
}

/** All events of a run of records. */
export function decodeEvents(bytes: Uint8Array): Event[] {
  const input = new RecordReader(bytes);
  const events: Event[] = [];
  while (input.left > 0) events.push(readEvent(input));
  return events;
}

function address(text: string): Address {
  const parsed = parseAddress(text);
  if (!parsed) throw new RangeError(`"${text}" is no address`);
  return parsed;
}

function poolValues(settings: PoolSettings): PoolValues {
  const prefixes = (texts: readonly string[]): PoolValues["prefixes"] =>
    texts.map((text) => {
      const parsed = parsePrefix(text);
      if (!parsed) throw new RangeError(`"${text}" is no prefix`);
      return parsed;
    });
  return { ...settings, prefixes: prefixes(settings.prefixes), reserved: prefixes(settings.reserved) };
}

function writeLease(out: RecordWriter, facts: LeaseFacts, detail: number, excluded: number, timeA: number, timeB: number, from?: EventData["lease-moved"]["from"]): void {
  const dst = address(facts.dst);
  out.u64(facts.lease);
  out.u8(dst.family);
  out.u8(detail);
  out.u16(excluded);
  out.u64(timeA);
  out.u64(timeB);
  out.address(dst);
  out.address(address(facts.src));
  if (from) {
    const fromDst = address(from.dst);
    out.u8(fromDst.family);
    out.address(fromDst);
    out.address(address(from.src));
    out.text8(from.pool);
  }
  out.text8(facts.pool);
  out.text8(facts.endpoint);
  out.text8(facts.client.name);
  out.text8(facts.client.id);
  out.text8(facts.connection);
}

function writeData(out: RecordWriter, event: Event): void {
  switch (event.type) {
    case "realm-opened":
      out.u64(event.data.awayMs);
      out.u64(Date.parse(event.data.graceUntil));
      return;
    case "pool-defined":
    case "pool-retired":
      out.text8(event.data.pool);
      writePoolSettings(out, poolValues(event.data));
      return;
    case "pool-changed":
      out.text8(event.data.pool);
      writePoolSettings(out, poolValues(event.data.before));
      writePoolSettings(out, poolValues(event.data.after));
      return;
    case "endpoint-defined":
      out.text8(event.data.endpoint);
      writeEndpointSettings(out, event.data);
      return;
    case "endpoint-changed":
      out.text8(event.data.endpoint);
      writeEndpointSettings(out, event.data.before);
      writeEndpointSettings(out, event.data.after);
      return;
    case "endpoint-retired":
      out.text8(event.data.endpoint);
      return;
    case "lease-granted":
      writeLease(out, event.data, causes.indexOf(event.data.cause), event.data.excluded, Date.parse(event.data.expiresAt), 0);
      return;
    case "lease-renewed":
    case "lease-restored":
      writeLease(out, event.data, 0, 0, Date.parse(event.data.expiresAt), Date.parse(event.data.expiredAt));
      return;
    case "lease-moved":
      writeLease(out, event.data, moveReasons.indexOf(event.data.reason) + 1, event.data.excluded, Date.parse(event.data.expiresAt), 0, event.data.from);
      return;
    case "lease-released":
      writeLease(out, event.data, releaseReasons.indexOf(event.data.reason), 0, 0, 0);
      return;
    case "lease-expired":
      writeLease(out, event.data, 0, 0, Date.parse(event.data.expiredAt), 0);
      return;
    case "lease-cooled":
      writeLease(out, event.data, 0, 0, 0, 0);
  }
}

/** Appends one event record. Throws if a text in it is no address or prefix. */
export function writeEvent(out: RecordWriter, event: Event): void {
  const at = out.length;
  out.u32(0);
  out.u16(eventTypes[event.type]);
  out.u16(event.version);
  out.u64(event.position);
  out.u64(Date.parse(event.time));
  out.u64(event.causation);
  out.text8(event.actor);
  out.text8(event.correlation);
  writeData(out, event);
  out.patchLength(at);
}

/** Records of the events, one behind the other. */
export function encodeEvents(events: readonly Event[]): Uint8Array {
  const out = new RecordWriter();
  for (const event of events) writeEvent(out, event);
  return out.written().slice();
}
