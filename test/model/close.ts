/** Leases end by their holder, by an operator, or because the request that made them failed further on. */
import type { AnswerOf, CancelRequest, CloseConnection, ReleaseLease } from "#events/command.js";
import type { ReleaseReason } from "#events/event.js";
import type { Decision } from "./decision.js";
import { endpointNamed, groupsOf } from "./endpoint.js";
import { refuse } from "./refusal.js";
import { factsOf } from "./spelling.js";
import { type LeaseRecord, isLive, recordOf } from "./state.js";

/** A late close of an older connection matches no record and so frees nothing. */
export function close(decision: Decision, command: CloseConnection): AnswerOf["close"] {
  return releaseWhere(decision, command, "closed", (record) => isLive(record) || record.unclosed);
}

/** Only what the request itself has granted: a lease that was renewed or moved by it stays. */
export function cancel(decision: Decision, command: CancelRequest): AnswerOf["cancel"] {
  return releaseWhere(decision, command, "cancelled", (record) => isLive(record) && record.fresh !== false);
}

function releaseWhere(decision: Decision, command: CloseConnection | CancelRequest, reason: ReleaseReason, found: (record: LeaseRecord) => boolean): { released: number } {
  const endpoint = endpointNamed(decision.state, command.endpoint);
  const records = groupsOf(decision.state, endpoint)
    .flat()
    .map((pool) => recordOf(decision.state, command.client, pool.name, (record) => record.connection === command.connection && found(record)))
    .filter((record) => record !== undefined);
  for (const record of records) decision.emit("lease-released", { ...factsOf(record), endpoint: command.endpoint, reason });
  return { released: records.length };
}

export function releaseLease(decision: Decision, command: ReleaseLease): AnswerOf["release-lease"] {
  const record = decision.state.records.find((candidate) => candidate.lease === command.lease && isLive(candidate)) ?? refuse("not-found", { position: command.lease });
  decision.emit("lease-released", { ...factsOf(record), connection: "", reason: "operator" });
  return { released: 1 };
}
