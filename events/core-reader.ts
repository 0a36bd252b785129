/** Reads of a core's state as views (docs/events.md, "Queries"). */
import { IPv4CidrRange, IPv6CidrRange } from "ip-num";
import type { Address } from "./address.js";
import { formatAddress, parseAddress } from "./address.js";
import { RecordReader } from "./codec/reader.js";
import { readEndpointSettings, readPoolSettings } from "./codec/settings.js";
import { RecordWriter } from "./codec/writer.js";
import type { EndpointView, LeaseFilter, LeaseState, LeaseView, Page, PoolView, RealmReader } from "./realm-api.js";

interface Queried {
  readonly position: number;
  query(bytes: Uint8Array): Uint8Array;
  hash(): string;
}

const onePool = 1;
const poolsPage = 2;
const oneEndpoint = 3;
const endpointsPage = 4;
const oneLease = 5;
const leasesPage = 6;

const states: readonly LeaseState[] = ["live", "expired", "ended", "cooling"];
const anyState = 255;

/** What tests compare beyond the public view of a lease. */
export interface LeaseDetail extends LeaseView {
  readonly unclosed: boolean;
  readonly stolen: boolean;
  readonly fresh: boolean;
  readonly own: boolean;
  readonly mode: "pair" | "single";
  /** Digest of the connection id that asked last. */
  readonly connectionDigest: bigint;
}

function sizeOf(prefixes: readonly string[]): bigint {
  return prefixes.reduce((sum, prefix) => sum + (prefix.includes(":") ? IPv6CidrRange : IPv4CidrRange).fromCidr(prefix).getSize(), 0n);
}

function readPool(input: RecordReader): PoolView {
  const pool = input.text8();
  const revision = input.u64();
  const settings = readPoolSettings(input);
  const leases = input.u32();
  const cooling = input.u32();
  const leasesOutside = input.u32();
  const free = (input.big64() << 64n) + input.big64();
  const perLease = settings.mode === "pair" ? 2 : 1;
  return {
    pool,
    revision,
    ...settings,
    usage: { size: sizeOf(settings.prefixes).toString(), leases, addressesLeased: leases * perLease, leasesOutside, cooling, free: free.toString() },
  };
}

function readEndpoint(input: RecordReader): EndpointView {
  const endpoint = input.text8();
  const revision = input.u64();
  return { endpoint, revision, ...readEndpointSettings(input) };
}

function readLease(input: RecordReader): LeaseDetail {
  const lease = input.u64();
  const expiresAt = new Date(input.u64()).toISOString();
  const connectionDigest = input.big64();
  const family = input.u8();
  const state = states[input.u8()]!;
  const flags = input.u8();
  const mode = input.u8() === 1 ? "single" : "pair";
  const dst = formatAddress(input.address(family));
  const src = formatAddress(input.address(family));
  const pool = input.text8();
  const endpoint = input.text8();
  const client = { name: input.text8(), id: input.text8() };
  return {
    lease,
    client,
    endpoint,
    pool,
    dst,
    src,
    state,
    expiresAt,
    unclosed: (flags & 1) !== 0,
    stolen: (flags & 2) !== 0,
    fresh: (flags & 4) !== 0,
    own: (flags & 8) !== 0,
    mode,
    connectionDigest,
  };
}

function shown(detail: LeaseDetail): LeaseView {
  const { lease, client, endpoint, pool, dst, src, state, expiresAt } = detail;
  return { lease, client, endpoint, pool, dst, src, state, expiresAt };
}

export class CoreReader implements RealmReader {
  private readonly out = new RecordWriter();

  constructor(
    private readonly core: Queried,
    private readonly now: number,
  ) {}

  get position(): number {
    return this.core.position;
  }

  hash(): string {
    return this.core.hash();
  }

  private ask<T>(kind: number, write: (out: RecordWriter) => void, read: (input: RecordReader) => T): { items: T[]; more: boolean } {
    this.out.reset();
    this.out.u16(kind);
    this.out.u64(this.now);
    write(this.out);
    const input = new RecordReader(this.core.query(this.out.written()));
    input.u32();
    const more = input.u8() !== 0;
    const items: T[] = [];
    while (input.left > 0) items.push(read(input));
    return { items, more };
  }

  private byName<T>(kind: number, after: string | undefined, limit: number, read: (input: RecordReader) => T, nameOf: (item: T) => string): Page<T> {
    const { items, more } = this.ask(
      kind,
      (out) => {
        out.text16(after ?? "");
        out.u32(limit);
      },
      read,
    );
    const last = items.at(-1);
    return more && last !== undefined ? { items, next: nameOf(last) } : { items };
  }

  pool(name: string): PoolView | undefined {
    return this.ask(onePool, (out) => out.text16(name), readPool).items[0];
  }

  pools(after: string | undefined, limit: number): Page<PoolView> {
    return this.byName(poolsPage, after, limit, readPool, (item) => item.pool);
  }

  endpoint(name: string): EndpointView | undefined {
    return this.ask(oneEndpoint, (out) => out.text16(name), readEndpoint).items[0];
  }

  endpoints(after: string | undefined, limit: number): Page<EndpointView> {
    return this.byName(endpointsPage, after, limit, readEndpoint, (item) => item.endpoint);
  }

  lease(id: number): LeaseView | undefined {
    const found = this.ask(oneLease, (out) => out.u64(id), readLease).items[0];
    return found && shown(found);
  }

  leases(filter: LeaseFilter, after: string | undefined, limit: number): Page<LeaseView> {
    const { items, next } = this.leaseDetails(filter, after, limit);
    return next === undefined ? { items: items.map(shown) } : { items: items.map(shown), next };
  }

  /** As `leases`, with what only the core knows. */
  leaseDetails(filter: LeaseFilter, after: string | undefined, limit: number): Page<LeaseDetail> {
    let address: Address | undefined;
    if (filter.address !== undefined) {
      address = parseAddress(filter.address);
      if (!address) return { items: [] };
    }
    const { items, more } = this.ask(
      leasesPage,
      (out) => {
        out.u64(after === undefined ? 0 : Number(after));
        out.u32(limit);
        out.u8(filter.state === undefined ? anyState : states.indexOf(filter.state));
        out.u8((filter.clientName === undefined ? 0 : 1) | (filter.clientId === undefined ? 0 : 2) | (address ? 4 : 0));
        out.text16(filter.pool ?? "");
        out.text16(filter.clientName ?? "");
        out.text16(filter.clientId ?? "");
        if (address) {
          out.u8(address.family);
          out.address(address);
        }
      },
      readLease,
    );
    const last = items.at(-1);
    return more && last !== undefined ? { items, next: String(last.lease) } : { items };
  }
}
