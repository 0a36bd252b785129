/** The only writer of the model's state: what each kind of event changes. */
import type { Event, EventData, LeaseFacts, PoolSettings } from "#events/event.js";
import { type Point, parsePoint } from "./address.js";
import { poolOf } from "./spelling.js";
import { type LeaseRecord, type State, holds, isClient, ownAddresses, poolNamed } from "./state.js";

/** An ended lease is remembered for its client until so many others have ended after it. */
export const ENDED_RECORDS_MAX = 1_048_576;

/** Evolves the state by the next event; an event out of turn is a broken log, not a refusal. */
export function fold(state: State, event: Event): void {
  if (event.position !== state.position + 1) throw new Error(`model: event ${event.position} after ${state.position}`);
  const time = Date.parse(event.time);
  change(state, event, time);
  state.position = event.position;
  state.lastTime = time;
  dropUnusedEndpointAddresses(state);
}

function change(state: State, event: Event, time: number): void {
  switch (event.type) {
    case "realm-opened":
      return openRealm(state, event.position, time, event.data);
    case "pool-defined":
      state.pools.set(event.data.pool, poolOf(event.data.pool, event.position, event.data));
      return;
    case "pool-changed":
      if (isOtherKind(event.data)) state.records = state.records.filter((record) => record.pool !== event.data.pool);
      state.pools.set(event.data.pool, poolOf(event.data.pool, event.position, event.data.after));
      return;
    case "pool-retired":
      state.records = state.records.filter((record) => record.pool !== event.data.pool);
      state.pools.delete(event.data.pool);
      return;
    case "endpoint-defined": {
      const { endpoint, chain, contextPolicy } = event.data;
      state.endpoints.set(endpoint, { name: endpoint, revision: event.position, chain, contextPolicy });
      return;
    }
    case "endpoint-changed": {
      const { endpoint, after } = event.data;
      state.endpoints.set(endpoint, { name: endpoint, revision: event.position, ...after });
      return;
    }
    case "endpoint-retired":
      state.endpoints.delete(event.data.endpoint);
      return;
    case "lease-granted":
      return grant(state, event.position, event.data);
    case "lease-renewed":
    case "lease-restored": {
      const { connection, endpoint, expiresAt } = event.data;
      replace(state, event.data.lease, { connection, endpoint, expiresAt: Date.parse(expiresAt), seen: event.position, fresh: false });
      return;
    }
    case "lease-moved":
      return move(state, event.position, event.data);
    case "lease-released":
      return release(state, event.position, time, event.data);
    case "lease-expired":
      return end(state, recordNumbered(state, event.data.lease), event.position, time, { unclosed: true });
    case "lease-cooled":
      replace(state, event.data.lease, { status: "ended", coolUntil: 0, expiresAt: time, endedPosition: event.position });
      forgetOldest(state);
      return;
  }
}

/** A pool of another mode or family cannot give back what it remembered; it holds nothing then. */
function isOtherKind({ before, after }: EventData["pool-changed"]): boolean {
  const family = (settings: PoolSettings): boolean => settings.prefixes[0]?.includes(":") ?? false;
  return before.mode !== after.mode || family(before) !== family(after);
}

function openRealm(state: State, position: number, time: number, data: EventData["realm-opened"]): void {
  const isFirst = state.position === 0;
  if (isFirst) state.graceFrom = time;
  // A second restart inside the grace of the first: what the first one saved must stay saved.
  else if (state.graceUntil <= state.lastTime) state.graceFrom = state.lastTime;
  state.graceUntil = Date.parse(data.graceUntil);
  state.openedPosition = position;
}

function grant(state: State, position: number, data: EventData["lease-granted"]): void {
  const record: LeaseRecord = {
    ...placeOf(data),
    lease: data.lease,
    client: data.client,
    expiresAt: Date.parse(data.expiresAt),
    status: "live",
    fresh: data.cause,
    seen: position,
    unclosed: false,
    stolen: false,
    coolUntil: 0,
    endedPosition: 0,
  };
  state.records = state.records.filter((old) => !(old.pool === record.pool && isClient(old.client, record.client)));
  take(state, record);
}

function move(state: State, position: number, data: EventData["lease-moved"]): void {
  const old = recordNumbered(state, data.lease);
  const record: LeaseRecord = { ...old, ...placeOf(data), expiresAt: Date.parse(data.expiresAt), seen: position, fresh: false };
  state.records = state.records.filter((other) => other !== old && !(other.pool === record.pool && isClient(other.client, record.client)));
  // The old endpoint address is given up before the new one is taken.
  dropUnusedEndpointAddresses(state);
  take(state, record);
}

function placeOf(facts: LeaseFacts): Pick<LeaseRecord, "pool" | "endpoint" | "connection" | "dst" | "src"> {
  const { pool, endpoint, connection, dst, src } = facts;
  return { pool, endpoint, connection, dst: parsePoint(dst), src: parsePoint(src) };
}

/** Addresses go to a record: nobody else may hold them, and whoever remembered them has lost them. */
function take(state: State, record: LeaseRecord): void {
  const isSingle = poolNamed(state, record.pool).mode === "single";
  assertUnheld(state, record, isSingle);
  const taken = [record.dst, record.src];
  state.records = state.records.flatMap((other) => {
    const isLosing = !holds(other) && !isClient(other.client, record.client) && ownAddresses(state, other).some((point) => taken.includes(point));
    if (!isLosing) return [other];
    // Kept only to tell its connection that it has expired.
    return other.unclosed ? [{ ...other, stolen: true }] : [];
  });
  state.records.push(record);
  for (const point of taken) state.everIssued.add(point);
  const isKnown = state.endpointAddresses.some(({ pool, address }) => pool === record.pool && address === record.dst);
  if (isSingle && !isKnown) state.endpointAddresses.push({ pool: record.pool, address: record.dst });
}

/** No address in two leases: the model checks itself, too. */
function assertUnheld(state: State, record: LeaseRecord, isSingle: boolean): void {
  for (const other of state.records.filter(holds)) {
    const sharesEndpointAddress = isSingle && other.pool === record.pool && other.dst === record.dst;
    const clash = (point: Point): boolean => point === other.src || (point === other.dst && !sharesEndpointAddress);
    if (clash(record.src) || clash(record.dst)) throw new Error(`model: lease ${record.lease} takes an address of lease ${other.lease}`);
  }
}

function release(state: State, position: number, time: number, data: EventData["lease-released"]): void {
  const record = recordNumbered(state, data.lease);
  if (record.status !== "live") {
    if (record.stolen) forget(state, record);
    else replace(state, record.lease, { unclosed: false });
    return;
  }
  if (data.reason !== "cancelled") return end(state, record, position, time, { unclosed: false });
  if (record.fresh !== "own") return forget(state, record);
  replace(state, record.lease, { status: "ended", fresh: false, expiresAt: time, endedPosition: position });
  forgetOldest(state);
}

function end(state: State, record: LeaseRecord, position: number, time: number, how: { unclosed: boolean }): void {
  const { cooldownSeconds } = poolNamed(state, record.pool);
  const isCooling = cooldownSeconds > 0;
  const coolUntil = time + cooldownSeconds * 1000;
  replace(state, record.lease, {
    status: isCooling ? "cooling" : "ended",
    fresh: false,
    unclosed: how.unclosed,
    coolUntil: isCooling ? coolUntil : 0,
    expiresAt: isCooling ? coolUntil : time,
    endedPosition: isCooling ? 0 : position,
  });
  forgetOldest(state);
}

function forgetOldest(state: State): void {
  const ended = state.records.filter((record) => record.status === "ended");
  if (ended.length <= ENDED_RECORDS_MAX) return;
  forget(state, ended.reduce((oldest, record) => (record.endedPosition < oldest.endedPosition ? record : oldest)));
}

function forget(state: State, record: LeaseRecord): void {
  state.records = state.records.filter((other) => other !== record);
}

function recordNumbered(state: State, lease: number): LeaseRecord {
  const record = state.records.find((candidate) => candidate.lease === lease);
  if (record === undefined) throw new Error(`model: no lease ${lease}`);
  return record;
}

function replace(state: State, lease: number, changes: Partial<LeaseRecord>): void {
  const old = recordNumbered(state, lease);
  state.records = state.records.map((record) => (record === old ? { ...record, ...changes } : record));
}

function dropUnusedEndpointAddresses(state: State): void {
  state.endpointAddresses = state.endpointAddresses.filter(({ pool, address }) =>
    state.records.some((record) => holds(record) && record.pool === pool && record.dst === address));
}
