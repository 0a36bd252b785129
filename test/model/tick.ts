/** The timer's commands: end what is over, and open the realm after an absence. */
import type { AnswerOf, ExpireLeases, OpenRealm } from "#events/command.js";
import type { Decision } from "./decision.js";
import { dueTime, effectiveExpiry } from "./expiry.js";
import { checkNumber } from "./refusal.js";
import { factsOf, timeText } from "./spelling.js";
import { isLive } from "./state.js";

/** What has been due longest ends first; what is due together goes by its recorded expiry, then by number. */
export function expire(decision: Decision, command: ExpireLeases): AnswerOf["expire"] {
  const { state, now } = decision;
  const due = state.records
    .flatMap((record) => {
      const time = dueTime(state, record);
      return time !== undefined && time <= now ? [{ record, time }] : [];
    })
    .sort((a, b) => a.time - b.time || a.record.expiresAt - b.record.expiresAt || a.record.lease - b.record.lease);
  const ending = due.slice(0, command.limit).map(({ record }) => record);
  for (const record of ending) {
    if (isLive(record)) decision.emit("lease-expired", { ...factsOf(record), connection: "", expiredAt: timeText(effectiveExpiry(state, record)) });
    else decision.emit("lease-cooled", { ...factsOf(record), connection: "" });
  }
  const expired = ending.filter(isLive).length;
  return { expired, cooled: ending.length - expired, more: due.length > ending.length };
}

export function openRealm(decision: Decision, command: OpenRealm): AnswerOf["open-realm"] {
  checkNumber(command.graceSeconds, 0, 31_536_000);
  const { state, now } = decision;
  const awayMs = state.position === 0 ? 0 : now - state.lastTime;
  const graceUntil = Math.max(now + command.graceSeconds * 1000, state.graceUntil);
  decision.emit("realm-opened", { awayMs, graceUntil: timeText(graceUntil) });
  return { awayMs, graceUntil };
}
