/**
 * Subjects with one planted bug each. An oracle that has never caught anything may be unable to: every bug
 * here must make the property fail.
 */
import type { Command, Outcome, RequestAnswer } from "#events/command.js";
import type { Event } from "#events/event.js";
import type { CanonicalState } from "../model/canonical.js";
import { addressOf, pointOf } from "../model/address.js";
import type { Asked, Subject } from "./subject.js";

type Submitted = ReturnType<Subject["submit"]>;

/** What a mutant does differently; everything else it passes on. */
interface Bug {
  readonly submitted?: (result: Submitted, batch: readonly Asked[]) => Submitted;
  readonly forgetsAbort?: true;
  readonly keepsOnAbort?: number;
  readonly shown?: (state: CanonicalState) => CanonicalState;
  readonly replayedHash?: (hash: string) => string;
}

const answers = (change: (answer: RequestAnswer) => RequestAnswer): Bug => ({
  submitted: ({ outcomes, events }, batch) => ({
    outcomes: outcomes.map((outcome, i): Outcome => {
      if (!outcome.ok || batch[i]!.command.kind !== "request") return outcome;
      return { ...outcome, answer: change(outcome.answer as RequestAnswer) } as Outcome<Command>;
    }),
    events,
  }),
});

const logs = (change: (events: readonly Event[]) => readonly Event[]): Bug => ({
  submitted: ({ outcomes, events }) => ({ outcomes, events: change(events) }),
});

/** By the accident each stands for. */
export const BUGS: Readonly<Record<string, Bug>> = {
  "answers the neighbouring address": answers((answer) => ({
    ...answer,
    leases: answer.leases.map((lease) => ({ ...lease, src: addressOf(pointOf(lease.src) ^ 1n) })),
  })),
  "calls a heal a renewal": answers((answer) => ({
    ...answer,
    leases: answer.leases.map((lease) => (lease.outcome === "restored" ? { ...lease, outcome: "renewed" } : lease)),
  })),
  "keeps a stale address in the context": answers((answer) => ({ ...answer, verdicts: answer.verdicts.map(() => ({ keep: true })) })),
  "leaves a dead destination first": answers((answer) => ({ ...answer, dstFirst: -1 })),
  "lets a lease end a second early": answers((answer) => ({
    ...answer,
    leases: answer.leases.map((lease) => ({ ...lease, expiresAt: lease.expiresAt - 1000 })),
  })),
  "loses the last event of a batch": logs((events) => events.slice(0, -1)),
  "forgets what led to a move": logs((events) => events.map((event) => ({ ...event, causation: 0 }))),
  "grants where it has to refuse": {
    submitted: ({ outcomes, events }) => ({
      outcomes: outcomes.map((outcome) => (outcome.ok || outcome.refusal.code !== "connection-expired" ? outcome : { ok: true, position: 1, answer: {} as never })),
      events,
    }),
  },
  "blames the wrong pool": {
    submitted: ({ outcomes, events }) => ({
      outcomes: outcomes.map((outcome) => (outcome.ok ? outcome : { ok: false, refusal: { ...outcome.refusal, subject: "z" } })),
      events,
    }),
  },
  "does not undo": { forgetsAbort: true },
  "undoes only the last command": { keepsOnAbort: 1 },
  "shows one free address too many": {
    shown: (state) => ({ ...state, pools: state.pools.map((pool) => ({ ...pool, usage: { ...pool.usage, free: String(BigInt(pool.usage.free) + 1n) } })) }),
  },
  "forgets ended leases": { shown: (state) => ({ ...state, leases: state.leases.filter((lease) => lease.state !== "ended") }) },
  "replays to another state": { replayedHash: (hash) => `${hash}!` },
};

/** The subject with the bug planted. */
export function mutant(subject: Subject, bug: Bug): Subject {
  let size = 0;
  return {
    submit: (batch) => {
      size = batch.length;
      const result = subject.submit(batch);
      return bug.submitted === undefined ? result : bug.submitted(result, batch);
    },
    commit: (count) => {
      size -= count;
      subject.commit(count);
    },
    abort: () => {
      if (bug.forgetsAbort === true) return subject.commit(size);
      if (bug.keepsOnAbort !== undefined && size > bug.keepsOnAbort) subject.commit(size - bug.keepsOnAbort);
      subject.abort();
    },
    hash: () => subject.hash(),
    state: () => (bug.shown === undefined ? subject.state() : bug.shown(subject.state())),
    reopened: async (how) => {
      const next = mutant(await subject.reopened(how), bug);
      const { replayedHash } = bug;
      return replayedHash === undefined ? next : { ...next, hash: () => replayedHash(next.hash()) };
    },
    done: () => subject.done(),
  };
}
