/**
 * A refusal of the core as a problem document: the sentence with its facts and the next step. The core says
 * which rule refused and about whom; the words are here, because they are for people.
 */
import { formatAddress } from "../events/address.js";
import type { Command, Refusal } from "../events/command.js";
import { preconditionFailed } from "./precondition.js";
import { Problem } from "./problem.js";
import type { Facts } from "./problem.js";
import { refusalRule } from "./refusal-rules.js";

/** `command` is what was refused; it names what the refusal leaves out. */
export function refusalProblem(refusal: Refusal, command: Command): Problem {
  const { subject, count } = refusal;
  const { name: rule, field, demand } = refusalRule(refusal.rule);
  const facts: Facts = {
    ...(field === "" ? {} : { field }),
    rule,
    ...(subject === "" ? {} : { subject }),
    ...(refusal.address === undefined ? {} : { address: addressText(refusal) }),
  };
  switch (refusal.code) {
    case "not-found":
      return new Problem("not-found", notFoundSentence(refusal, command), facts);
    case "pool-overlap":
      return new Problem(
        "pool-overlap",
        `${addressText(refusal)} of pool ${quote(subject)} overlaps the prefixes of this request. A pool owns its addresses alone: leave that range out here, or take it from ${quote(subject)} first.`,
        {
          ...facts,
          heldBy: subject,
        },
      );
    case "in-use":
      return inUse(refusal, command, facts);
    case "connection-expired":
      return new Problem(
        "connection-expired",
        `The lease of this connection${subject === "" ? "" : ` in pool ${quote(subject)}`} ran out before it was refreshed. Close the connection and request anew (or request with state RESELECT_REQUESTED): its addresses come back if nobody else has them.`,
        { ...facts, ...(refusal.position === 0 ? {} : { lease: refusal.position }) },
      );
    case "precondition-failed":
      return preconditionFailed(subject === "" ? nameOf(command) : subject, refusal.position);
    case "pool-exhausted":
      return new Problem(
        "pool-exhausted",
        `Pool ${quote(subject)} has no free addresses for this request (${count} live leases in it; what the request excludes and what is reserved count as taken). Add prefixes to the pool, or wait until leases end.`,
        {
          ...facts,
          leases: count,
        },
      );
    case "store-full":
      return new Problem(
        "store-full",
        "The room for the log is nearly used up: known clients keep their leases, new ones are not taken on. Free disk space, then send it again.",
        facts,
      );
    case "address-held": {
      const holder = refusal.other === "" ? subject : refusal.other;
      return new Problem(
        "address-held",
        `${addressText(refusal)} is held by ${quote(holder)}${refusal.position === 0 ? "" : ` since position ${refusal.position}`}.`,
        {
          ...facts,
          heldBy: holder,
          ...(refusal.position === 0 ? {} : { since: refusal.position }),
        },
      );
    }
    case "table-full":
    case "too-large":
    case "invalid": {
      const about = [
        subject === "" ? "" : quote(subject),
        refusal.address === undefined ? "" : addressText(refusal),
        count === 0 ? "" : `here it is ${count}`,
      ]
        .filter((part) => part !== "")
        .join(", ");
      return new Problem(refusal.code, `Refused, because ${demand}${about === "" ? "" : ` (${about})`}; nothing was changed.`, {
        ...facts,
        ...(count === 0 ? {} : { count }),
      });
    }
  }
}

function inUse(refusal: Refusal, command: Command, facts: Facts): Problem {
  const counted: Facts = { ...facts, ...(refusal.count === 0 ? {} : { leases: refusal.count }) };
  if (command.kind !== "retire-pool") {
    return new Problem(
      "in-use",
      `${quote(nameOf(command))} has ${refusal.count} leases, and its mode or family cannot change under them. Define another pool for the new kind, or let these leases end first (PUT it with "draining": true).`,
      counted,
    );
  }
  if (refusal.other !== "") {
    return new Problem(
      "in-use",
      `Endpoint ${quote(refusal.other)} has pool ${quote(command.pool)} in its chain. Take it out there first (PUT /v1/endpoints/${refusal.other}), then delete the pool.`,
      { ...counted, heldBy: refusal.other },
    );
  }
  return new Problem(
    "in-use",
    `Pool ${quote(command.pool)} still has ${refusal.count} leases or addresses that cool down. Stop new ones with PUT {"draining": true} and wait until the last has ended, or remove them (DELETE /v1/leases/{id}; list them with /v1/leases?pool=${command.pool}).`,
    counted,
  );
}

function notFoundSentence(refusal: Refusal, command: Command): string {
  switch (command.kind) {
    case "release-lease":
      return `Lease ${command.lease} does not exist or has ended.`;
    case "define-endpoint":
      return `The chain names pool ${quote(refusal.subject)}, which does not exist; define the pool first.`;
    case "request":
    case "close":
    case "cancel":
    case "retire-endpoint":
      return `There is no endpoint ${quote(command.endpoint)}; define it with PUT /v1/endpoints/${command.endpoint}.`;
    default:
      return `There is no ${quote(refusal.subject === "" ? nameOf(command) : refusal.subject)}.`;
  }
}

function nameOf(command: Command): string {
  if ("pool" in command) return command.pool;
  if ("endpoint" in command) return command.endpoint;
  if ("lease" in command) return String(command.lease);
  return command.kind;
}

function addressText(refusal: Refusal): string {
  if (refusal.address === undefined) return "An address";
  const text = formatAddress(refusal.address);
  return refusal.length === undefined ? text : `${text}/${refusal.length}`;
}

function quote(name: string): string {
  return JSON.stringify(name);
}
