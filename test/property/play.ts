/**
 * Plays a script on the model and on a subject and compares whatever both say. Every batch is submitted to
 * the subject in one call and then made durable, made durable in part, or undone.
 */
import type { Command, Envelope, Outcome, RequestLease } from "#events/command.js";
import { textOf, pointOf } from "../model/address.js";
import { Model } from "../model/model.js";
import { Disagreement, agree, comparable } from "./compare.js";
import { checkAnswer, checkState } from "./invariant.js";
import { Memory } from "./memory.js";
import { probes } from "./probe.js";
import { resolve, whoAsks } from "./resolve.js";
import type { ConnectionChoice, Script, Step, TimedDraft } from "./script.js";
import type { Asked, Subject } from "./subject.js";
import { START_MS } from "./universe.js";

/** What happened, counted: a property that never reaches a case does not test it. */
export type Tally = Map<string, number>;

export async function playScript(script: Script, open: () => Promise<Subject>, tally: Tally = new Map()): Promise<void> {
  const run = new Run(await open(), tally);
  try {
    for (const step of script.steps) await run.play(step);
    await run.finish();
  } catch (thrown) {
    if (!(thrown instanceof Disagreement)) throw new Error(`${String(thrown)}\n${run.transcript()}`, { cause: thrown });
    throw new Disagreement(`${thrown.message}\n${run.transcript()}`);
  } finally {
    run.close();
  }
}

interface Decided {
  readonly asked: Asked;
  readonly outcome: Outcome;
  readonly model: Model;
  readonly memory: Memory;
}

class Run {
  private model = new Model();
  private memory = Memory.empty(START_MS);
  private readonly lines: string[] = [];
  private correlations = 0;

  constructor(private subject: Subject, private readonly tally: Tally) {}

  transcript(): string {
    return `commands so far:\n${this.lines.join("\n")}`;
  }

  async play(step: Step): Promise<void> {
    if (step.kind === "reopen") return this.reopen(step);
    const before = this.subject.hash();
    const decided = this.decide(step.drafts);
    const { outcomes, events } = this.subject.submit(decided.map(({ asked }) => asked));
    decided.forEach(({ asked, outcome }, i) => {
      const got = outcomes[i];
      agree(`outcome of ${describe(asked.command)}`, comparable(outcome), got === undefined ? "none" : comparable(got));
    });
    const after = decided.at(-1)?.model ?? this.model;
    agree("events", after.events.slice(this.model.events.length), events);
    this.settle(step, decided, before);
  }

  private settle(step: Step & { kind: "batch" }, decided: readonly Decided[], before: string): void {
    const kept = { commit: decided.length, abort: 0, "commit-first": Math.min(1, decided.length) }[step.fate];
    if (kept > 0) this.subject.commit(kept);
    if (kept < decided.length) this.subject.abort();
    this.lines.push(`  -- ${step.fate}`);
    this.model = decided[kept - 1]?.model ?? this.model;
    this.memory = (decided[kept - 1]?.memory ?? this.memory).later((decided.at(-1)?.memory.now ?? this.memory.now) - (decided[kept - 1]?.memory ?? this.memory).now);
    if (kept === 0) agree("hash after abort", before, this.subject.hash());
    this.compareStates("after the batch");
  }

  /** The model's answers, each on top of the one before. */
  private decide(drafts: readonly TimedDraft[]): readonly Decided[] {
    const decided: Decided[] = [];
    for (const { after, draft } of drafts) {
      const base = decided.at(-1);
      const before = base?.model ?? this.model;
      const memory = (base?.memory ?? this.memory).later(after);
      const asked = { command: resolve(draft, before, memory), envelope: this.envelope(memory.now) };
      const model = before.fork();
      const outcome = model.submit(asked.command, asked.envelope);
      this.note(asked, outcome);
      checkAnswer(asked.command, outcome, before, model);
      const remembered = draft.kind === "request" && outcome.ok ? heard(memory, whoAsks(draft, before).client, draft.connection, asked.command as RequestLease, outcome) : memory;
      decided.push({ asked, outcome, model, memory: remembered });
    }
    return decided;
  }

  private async reopen(step: Step & { kind: "reopen" }): Promise<void> {
    const before = this.subject.hash();
    this.lines.push(`  -- reopen: ${step.how}`);
    if (step.how !== "stay") {
      const old = this.subject;
      this.subject = await old.reopened(step.how);
      old.done();
      agree(`hash after ${step.how}`, before, this.subject.hash());
    }
    this.memory = this.memory.later(step.away);
    const asked: Asked = { command: { kind: "open-realm", graceSeconds: step.graceSeconds }, envelope: this.envelope(this.memory.now) };
    const count = this.model.events.length;
    const outcome = this.model.submit(asked.command, asked.envelope);
    this.note(asked, outcome);
    const { outcomes, events } = this.subject.submit([asked]);
    agree("outcome of open-realm", [comparable(outcome)], outcomes.map(comparable));
    agree("events", this.model.events.slice(count), events);
    this.subject.commit(1);
    this.compareStates("after opening");
  }

  /** Replay equals live, and both equal the model. */
  async finish(): Promise<void> {
    for (const how of ["replay", "snapshot"] as const) await this.compareReopened(how);
    const second = new Model();
    for (const event of this.model.events) second.apply(event);
    agree("the model after replay", this.model.state(), second.state());
  }

  /** The same hash, the same view, and the same answer to the last byte whatever it is asked. */
  private async compareReopened(how: "replay" | "snapshot"): Promise<void> {
    const other = await this.subject.reopened(how);
    try {
      agree(`hash after ${how}`, this.subject.hash(), other.hash());
      agree(`state after ${how}`, this.model.state(), other.state());
      for (const probe of probes(this.model.inside())) {
        const [wanted, got] = [this.subject, other].map((subject) => {
          const result = subject.submit([probe]);
          subject.abort();
          return result;
        });
        agree(`live (model) and ${how} (subject) asked ${describe(probe.command)}`, wanted, got);
      }
      agree(`hash after probing the ${how}`, this.subject.hash(), other.hash());
    } finally {
      other.done();
    }
  }

  close(): void {
    this.subject.done();
  }

  private compareStates(when: string): void {
    const state = this.subject.state();
    checkState(state);
    agree(`state ${when}`, this.model.state(), state);
  }

  private envelope(now: number): Envelope {
    return { now, actor: "script", correlation: `r-${this.correlations++}` };
  }

  private note({ command, envelope }: Asked, outcome: Outcome): void {
    const result = outcome.ok ? "ok" : outcome.refusal.code;
    this.lines.push(`  t+${envelope.now - START_MS}ms ${describe(command)} -> ${result}`);
    for (const key of [`${command.kind}: ${result}`, ...(outcome.ok && command.kind === "request" ? outcomesOf(outcome) : [])]) {
      this.tally.set(key, (this.tally.get(key) ?? 0) + 1);
    }
  }
}

function heard(memory: Memory, client: number, choice: ConnectionChoice, asked: RequestLease, outcome: Outcome & { ok: true }): Memory {
  return memory.answered(client, choice, asked, (outcome as Outcome<RequestLease> & { ok: true }).answer);
}

function outcomesOf(outcome: Outcome): readonly string[] {
  const { answer } = outcome as Outcome<RequestLease> & { ok: true };
  return [
    ...answer.leases.map(({ outcome: how, movedFrom, mode }) => `lease ${how}${movedFrom === undefined ? "" : ` (${movedFrom.reason})`} in ${mode}`),
    ...answer.verdicts.map((verdict) => ("rewrite" in verdict ? "verdict: rewrite" : verdict.keep ? "verdict: keep" : "verdict: drop")),
    ...(answer.dstFirst >= 0 ? ["dst first"] : []),
  ];
}

/** A command on one line, with addresses as text. */
function describe(command: Command): string {
  return JSON.stringify(command, (_, value: unknown) => {
    if (value === null || typeof value !== "object" || !("family" in value)) return value;
    return textOf(pointOf(value as Parameters<typeof pointOf>[0]));
  });
}
