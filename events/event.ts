/**
 * The event catalogue: what happened, in the past tense, whole facts. The JSON spelling is for people,
 * exports and other stores; the binary one is what the core writes (docs/events.md). Both say the same.
 */
import type { ClientIdentity, ContextPolicy, MoveReason, PoolMode } from "./command.js";

/** What every event carries. */
export interface EventHeader {
  /** Number of the event in its realm's log, from 1. */
  readonly position: number;
  /** RFC 3339, milliseconds, UTC: the time the deciding host gave. */
  readonly time: string;
  readonly version: number;
  readonly actor: string;
  readonly correlation: string;
  /** Position of the event that led to this one, 0 if none: the pool change behind a move. */
  readonly causation: number;
}

export interface PoolSettings {
  readonly mode: PoolMode;
  readonly prefixes: readonly string[];
  readonly reserved: readonly string[];
  readonly leaseSeconds: number;
  readonly graceSeconds: number;
  readonly cooldownSeconds: number;
  readonly draining: boolean;
}

export interface LeaseFacts {
  /** The lease's number: the position of the `lease-granted` that made it. */
  readonly lease: number;
  readonly client: ClientIdentity;
  readonly connection: string;
  readonly endpoint: string;
  readonly pool: string;
  readonly dst: string;
  readonly src: string;
}

export type ReleaseReason = "closed" | "cancelled" | "replaced" | "operator";

export interface EventData {
  "realm-opened": { readonly awayMs: number; readonly graceUntil: string };
  "pool-defined": { readonly pool: string } & PoolSettings;
  "pool-changed": { readonly pool: string; readonly before: PoolSettings; readonly after: PoolSettings };
  "pool-retired": { readonly pool: string } & PoolSettings;
  "endpoint-defined": { readonly endpoint: string; readonly chain: readonly (readonly string[])[]; readonly contextPolicy: ContextPolicy };
  "endpoint-changed": {
    readonly endpoint: string;
    readonly before: { readonly chain: readonly (readonly string[])[]; readonly contextPolicy: ContextPolicy };
    readonly after: { readonly chain: readonly (readonly string[])[]; readonly contextPolicy: ContextPolicy };
  };
  "endpoint-retired": { readonly endpoint: string };
  "lease-granted": LeaseFacts & {
    readonly expiresAt: string;
    /** `new`: lowest free; `own`: the client's addresses of before; `claimed`: from its context. */
    readonly cause: "new" | "own" | "claimed";
    /** How many excluded prefixes the request named. */
    readonly excluded: number;
  };
  "lease-renewed": LeaseFacts & { readonly expiresAt: string; readonly expiredAt: string };
  "lease-restored": LeaseFacts & { readonly expiresAt: string; readonly expiredAt: string };
  "lease-moved": LeaseFacts & {
    readonly from: { readonly pool: string; readonly dst: string; readonly src: string };
    readonly reason: MoveReason;
    readonly expiresAt: string;
    readonly excluded: number;
  };
  "lease-released": LeaseFacts & { readonly reason: ReleaseReason };
  "lease-expired": LeaseFacts & { readonly expiredAt: string };
  /** The addresses of an ended lease may go to others again (pools with a cool-down only). */
  "lease-cooled": LeaseFacts;
}

export type EventType = keyof EventData;

export type Event<T extends EventType = EventType> = {
  [K in T]: EventHeader & { readonly type: K; readonly data: EventData[K] };
}[T];
