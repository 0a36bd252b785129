/** A client asks: exactly one lease per group of the endpoint's chain, or a refusal and nothing at all. */
import type { AnsweredLease, LeaseOutcome, MoveReason, RequestAnswer, RequestLease } from "#events/command.js";
import { type Point, type Range, addressOf, bitsOf, lengthOf, rangeOf, textOf } from "./address.js";
import { claimsOf } from "./claim.js";
import type { Decision } from "./decision.js";
import { endpointNamed, groupsOf } from "./endpoint.js";
import { isExpired } from "./expiry.js";
import { isReserved } from "./free.js";
import { type Place, isExcluded, lowestPlace, placeAt } from "./place.js";
import { checkBytes, checkCount, refuse } from "./refusal.js";
import { factsOf, timeText } from "./spelling.js";
import { type LeaseRecord, type Pool, type State, copyOf, holds, isLive, poolNamed, prefixAt, recordOf } from "./state.js";
import { judge } from "./verdict.js";

/** An answered lease before the verdicts say what of it the context already has. */
export interface Lease {
  readonly shown: Omit<AnsweredLease, "present">;
  /** What was the client's before this request moved the lease: both addresses of a pair, the one of a single lease. */
  readonly lost: readonly Point[];
}

export function request(decision: Decision, command: RequestLease): RequestAnswer {
  checkBytes(command.client.name, 0, 255);
  checkBytes(command.client.id, 1, 255);
  checkBytes(command.connection, 0, 255);
  const endpoint = endpointNamed(decision.state, command.endpoint);
  checkCount(command.excluded.length, 0, 16_384);
  checkCount(command.items.length, 0, 1024);
  for (const { address, length } of command.items) if (length > (address.family === 4 ? 32 : 128)) refuse("invalid");
  const asking = { ...command, excludedRanges: command.excluded.map(rangeOf) };
  const leases = groupsOf(decision.state, endpoint).map((group) => answerGroup(decision, asking, group));
  return judge(decision.state, endpoint.contextPolicy, leases, command.items);
}

interface Asking extends RequestLease {
  readonly excludedRanges: readonly Range[];
}

function answerGroup(decision: Decision, asking: Asking, group: readonly Pool[]): Lease {
  const live = firstRecord(decision.state, asking, group, isLive);
  if (live !== undefined) return answerLive(decision, asking, group, live);
  const ended = firstRecord(decision.state, asking, group, (record) => !isLive(record));
  if (ended !== undefined) {
    if (ended.unclosed && ended.connection === asking.connection && !asking.reselect) refuseExpired(ended);
    const place = placeOfBefore(decision.state, asking, ended);
    if (place !== undefined) return grant(decision, asking, place, "own");
  }
  if (asking.knownOnly) refuse("store-full");
  const claimed = claimedPlace(decision.state, asking, group);
  if (claimed !== undefined) return grant(decision, asking, claimed, "claimed");
  const lowest = lowestPlace(decision.state, group, asking.excludedRanges);
  return lowest === undefined ? refuseExhausted(decision.state, group) : grant(decision, asking, lowest, "new");
}

/** The client's record in the first pool of the group that has such a one. */
function firstRecord(state: State, asking: Asking, group: readonly Pool[], found: (record: LeaseRecord) => boolean): LeaseRecord | undefined {
  return group.map((pool) => recordOf(state, asking.client, pool.name, found)).find((record) => record !== undefined);
}

function refuseExpired(record: LeaseRecord): never {
  return refuse("connection-expired", { subject: record.pool, position: record.lease });
}

function refuseExhausted(state: State, group: readonly Pool[]): never {
  const last = group.filter((pool) => !pool.draining).at(-1) ?? group.at(-1)!;
  const count = state.records.filter((record) => isLive(record) && record.pool === last.name).length;
  return refuse("pool-exhausted", { subject: last.name, count });
}

function answerLive(decision: Decision, asking: Asking, group: readonly Pool[], live: LeaseRecord): Lease {
  const isLate = isExpired(decision.state, live, decision.now);
  const isSameConnection = live.connection === asking.connection && !asking.reselect;
  if (isLate && isSameConnection) refuseExpired(live);
  const reason = moveReason(decision.state, live, asking.excludedRanges);
  if (reason !== undefined) return move(decision, asking, group, live, reason);
  const isHeal = isLate || !isSameConnection || live.seen < decision.state.openedPosition;
  return extend(decision, asking, live, isHeal ? "restored" : "renewed");
}

/** Why the client cannot keep its addresses; `undefined` if it can. */
function moveReason(state: State, live: LeaseRecord, excluded: readonly Range[]): MoveReason | undefined {
  const pool = poolNamed(state, live.pool);
  const both = [live.dst, live.src];
  if (both.some((point) => prefixAt(pool, point) === undefined)) return "prefix-changed";
  if ((pool.mode === "single" ? [live.src] : both).some((point) => isReserved(pool, point))) return "reserved";
  return both.some((point) => isExcluded(excluded, point)) ? "excluded" : undefined;
}

function extend(decision: Decision, asking: Asking, live: LeaseRecord, outcome: "restored" | "renewed"): Lease {
  const pool = poolNamed(decision.state, live.pool);
  const expiresAt = decision.now + pool.leaseSeconds * 1000;
  const facts = factsOf({ ...live, connection: asking.connection, endpoint: asking.endpoint });
  decision.emit(`lease-${outcome}`, { ...facts, expiresAt: timeText(expiresAt), expiredAt: timeText(live.expiresAt) });
  return answered({ pool, dst: live.dst, src: live.src }, live.lease, outcome, expiresAt);
}

function move(decision: Decision, asking: Asking, group: readonly Pool[], live: LeaseRecord, reason: MoveReason): Lease {
  const without = stateWithout(decision.state, live);
  // Two live leases of one client in one pool must not come to be.
  const open = group.filter((pool) => recordOf(without, asking.client, pool.name, isLive) === undefined);
  const place = lowestPlace(without, open, asking.excludedRanges) ?? refuseExhausted(decision.state, group);
  const expiresAt = decision.now + place.pool.leaseSeconds * 1000;
  const oldPool = poolNamed(decision.state, live.pool);
  decision.emit(
    "lease-moved",
    {
      ...factsAt(asking, place, live.lease),
      from: { pool: live.pool, dst: textOf(live.dst), src: textOf(live.src) },
      reason,
      expiresAt: timeText(expiresAt),
      excluded: asking.excluded.length,
    },
    reason === "excluded" ? 0 : oldPool.revision,
  );
  const movedFrom = { dst: addressOf(live.dst), src: addressOf(live.src), reason };
  const { shown } = answered(place, live.lease, "moved", expiresAt);
  return { shown: { ...shown, movedFrom }, lost: oldPool.mode === "pair" ? [live.dst, live.src] : [live.src] };
}

/** The state as it were if the record had never been: what a lease that must move chooses from. */
function stateWithout(state: State, record: LeaseRecord): State {
  const copy = copyOf(state);
  copy.records = copy.records.filter((other) => other !== record);
  copy.endpointAddresses = copy.endpointAddresses.filter(({ pool, address }) =>
    copy.records.some((other) => holds(other) && other.pool === pool && other.dst === address));
  return copy;
}

/** The client's own addresses of before, if it can have them back whole. */
function placeOfBefore(state: State, asking: Asking, ended: LeaseRecord): Place | undefined {
  const pool = poolNamed(state, ended.pool);
  if (ended.stolen || pool.draining) return undefined;
  // Only a cool-down of its own may lie on them. The endpoint address it still holds stays in use until it is replaced.
  const others = copyOf(state);
  others.records = others.records.filter((record) => record !== ended);
  return placeAt(others, pool, ended.dst, ended.src, asking.excludedRanges);
}

function claimedPlace(state: State, asking: Asking, group: readonly Pool[]): Place | undefined {
  for (const pool of group.filter((candidate) => !candidate.draining)) {
    for (const { dst, src } of claimsOf(state, pool, asking.items)) {
      const place = placeAt(state, pool, dst, src, asking.excludedRanges);
      if (place !== undefined) return place;
    }
  }
  return undefined;
}

const OUTCOME_OF = { new: "granted", own: "regranted", claimed: "claimed" } as const;

function grant(decision: Decision, asking: Asking, place: Place, cause: "new" | "own" | "claimed"): Lease {
  const lease = decision.next;
  const expiresAt = decision.now + place.pool.leaseSeconds * 1000;
  decision.emit("lease-granted", { ...factsAt(asking, place, lease), expiresAt: timeText(expiresAt), cause, excluded: asking.excluded.length });
  return answered(place, lease, OUTCOME_OF[cause], expiresAt);
}

function factsAt(asking: Asking, place: Place, lease: number): ReturnType<typeof factsOf> {
  const { client, connection, endpoint } = asking;
  const { name, id } = client;
  return { lease, client: { name, id }, connection, endpoint, pool: place.pool.name, dst: textOf(place.dst), src: textOf(place.src) };
}

/** Pair addresses are shown whole, a single one with the mask of the prefix it lies in. */
function answered(place: Place, lease: number, outcome: LeaseOutcome, expiresAt: number): Lease {
  const { pool, dst, src } = place;
  const length = pool.mode === "pair" ? bitsOf(src) : lengthOf(prefixAt(pool, src)!);
  const shown = { lease, pool: pool.name, mode: pool.mode, outcome, dst: addressOf(dst), src: addressOf(src), length, expiresAt };
  return { shown, lost: [] };
}

