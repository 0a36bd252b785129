/**
 * What a host may ask of the core, and what the core answers. Shapes only: the decisions are in
 * `assembly/`, the bytes in `codec.ts`.
 */
import type { Address, Prefix } from "./address.js";

/** `pair`: two addresses per client; `single`: one, with a shared endpoint address; `prefix`: delegates. */
export type PoolMode = "pair" | "single" | "prefix";

/** `replace` answers with exactly the live leases; `append` keeps what the client brought along. */
export type ContextPolicy = "replace" | "append";

/** What every command carries into the events it causes. */
export interface Envelope {
  /** Milliseconds since 1970, UTC. The core has no clock of its own. */
  readonly now: number;
  /** Who asked: a token's name, `system` for timers. At most 255 bytes. */
  readonly actor: string;
  /** Ties events to a request: the idempotency key or request id. At most 255 bytes. */
  readonly correlation: string;
}

export interface DefinePool {
  readonly kind: "define-pool";
  readonly pool: string;
  readonly mode: PoolMode;
  readonly prefixes: readonly Prefix[];
  readonly reserved: readonly Prefix[];
  readonly leaseSeconds: number;
  readonly graceSeconds: number;
  readonly cooldownSeconds: number;
  /** A draining pool keeps its leases and gives no new ones. */
  readonly draining: boolean;
  /** Revision (position of the last change) the caller saw; 0 = must not exist; absent = any. */
  readonly ifRevision?: number;
}

export interface RetirePool {
  readonly kind: "retire-pool";
  readonly pool: string;
  readonly ifRevision?: number;
}

export interface DefineEndpoint {
  readonly kind: "define-endpoint";
  readonly endpoint: string;
  /** Groups in order; in a group, pools in order of preference. */
  readonly chain: readonly (readonly string[])[];
  readonly contextPolicy: ContextPolicy;
  readonly ifRevision?: number;
}

export interface RetireEndpoint {
  readonly kind: "retire-endpoint";
  readonly endpoint: string;
  readonly ifRevision?: number;
}

/** Where in an NSM ip_context a value stands. */
export type ContextPlace =
  | "src-address"
  | "dst-address"
  | "src-route"
  | "dst-route"
  | "src-route-next-hop"
  | "dst-route-next-hop"
  | "policy-from"
  | "policy-next-hop";

/** One address of the request's ip_context; the answer holds one verdict per item, in this order. */
export interface ContextItem {
  readonly place: ContextPlace;
  readonly address: Address;
  readonly length: number;
}

export interface ClientIdentity {
  /** Name and id of the first path segment; name empty and id = connection id where there is no path. */
  readonly name: string;
  readonly id: string;
}

export interface RequestLease {
  readonly kind: "request";
  readonly endpoint: string;
  readonly client: ClientIdentity;
  readonly connection: string;
  /** NSM state RESELECT_REQUESTED: the client closed its old connection and starts anew. */
  readonly reselect: boolean;
  /** The disk is nearly full: serve who is known, refuse new leases with `store-full`. */
  readonly knownOnly: boolean;
  readonly excluded: readonly Prefix[];
  readonly items: readonly ContextItem[];
}

export interface CloseConnection {
  readonly kind: "close";
  readonly endpoint: string;
  readonly client: ClientIdentity;
  readonly connection: string;
}

/** Undo the grant of the request just answered: a later element of the chain failed. */
export interface CancelRequest {
  readonly kind: "cancel";
  readonly endpoint: string;
  readonly client: ClientIdentity;
  readonly connection: string;
}

/** An operator takes a lease away. */
export interface ReleaseLease {
  readonly kind: "release-lease";
  readonly lease: number;
}

/** Timer tick: ends at most `limit` leases whose time and grace are over. */
export interface ExpireLeases {
  readonly kind: "expire";
  readonly limit: number;
}

/** First command after opening a realm: leases that ran out while it was down get `graceSeconds`. */
export interface OpenRealm {
  readonly kind: "open-realm";
  readonly graceSeconds: number;
}

export type Command =
  | DefinePool
  | RetirePool
  | DefineEndpoint
  | RetireEndpoint
  | RequestLease
  | CloseConnection
  | CancelRequest
  | ReleaseLease
  | ExpireLeases
  | OpenRealm;

export type RefusalCode =
  | "invalid"
  | "not-found"
  | "address-held"
  | "pool-overlap"
  | "in-use"
  | "connection-expired"
  | "precondition-failed"
  | "too-large"
  | "pool-exhausted"
  | "table-full"
  | "store-full";

/** Which check refused; names the rule to the caller in words (see `refusal.ts`). */
export interface Refusal {
  readonly code: RefusalCode;
  /** Number of the rule that refused, see `assembly/refusal.ts`. */
  readonly rule: number;
  /** Name of the pool, endpoint or client the refusal is about; empty if none. */
  readonly subject: string;
  /** A second name: the other pool, the holder. */
  readonly other: string;
  /** Since when (a position), how many: depends on the rule. 0 if none. */
  readonly position: number;
  readonly count: number;
  readonly address?: Address;
  readonly length?: number;
}

export type LeaseOutcome =
  /** The lowest free addresses. */
  | "granted"
  /** The client's own addresses from an ended lease (sticky). */
  | "regranted"
  /** The addresses the client's context claimed; they were free. */
  | "claimed"
  /** A refresh of a live lease. */
  | "renewed"
  /** A heal: same addresses after a restart, reselect or new connection. */
  | "restored"
  /** Other addresses than before, see `movedFrom`. */
  | "moved";

export type MoveReason = "excluded" | "prefix-changed" | "reserved";

/** One lease of an answer, in chain order. */
export interface AnsweredLease {
  readonly lease: number;
  readonly pool: string;
  readonly mode: PoolMode;
  readonly outcome: LeaseOutcome;
  /** NSE side. In `single` mode the shared endpoint address, which NSM does not tell the client. */
  readonly dst: Address;
  /** Client side. */
  readonly src: Address;
  /** Bits of the mask the addresses are shown with: 32/128 in pair mode, the prefix's in single mode. */
  readonly length: number;
  readonly expiresAt: number;
  readonly movedFrom?: { readonly dst: Address; readonly src: Address; readonly reason: MoveReason };
  /** Already in the request's context at a place the answer keeps. */
  readonly present: { readonly src: boolean; readonly dst: boolean; readonly srcRoute: boolean; readonly dstRoute: boolean };
}

/** What becomes of one context item. */
export type Verdict =
  | { readonly keep: true }
  | { readonly keep: false }
  /** Replace the address by the dst or src of `leases[lease]`. */
  | { readonly keep: true; readonly rewrite: "dst" | "src"; readonly lease: number };

export interface RequestAnswer {
  readonly leases: readonly AnsweredLease[];
  readonly verdicts: readonly Verdict[];
  /** Index into `leases` whose dst must stand first in dst_ip_addrs; -1 when nothing has to move. */
  readonly dstFirst: number;
}

/** What a command did, once it is durable. `position` is the last event's; the head's when none was written. */
export interface Done<A = unknown> {
  readonly ok: true;
  readonly position: number;
  readonly answer: A;
}

export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

/** The answer each kind of command gets. */
export interface AnswerOf {
  "define-pool": { readonly created: boolean; readonly changed: boolean; readonly revision: number; readonly outside: number };
  "retire-pool": { readonly revision: number };
  "define-endpoint": { readonly created: boolean; readonly changed: boolean; readonly revision: number };
  "retire-endpoint": { readonly revision: number };
  request: RequestAnswer;
  close: { readonly released: number };
  cancel: { readonly released: number };
  "release-lease": { readonly released: number };
  expire: { readonly expired: number; readonly cooled: number; readonly more: boolean };
  "open-realm": { readonly awayMs: number; readonly graceUntil: number };
}

export type Outcome<C extends Command = Command> = Done<AnswerOf[C["kind"]]> | Refused;
