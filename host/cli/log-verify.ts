/**
 * `holdfast log verify`: are the log's bytes what was written? Recomputes every digest; `--replay` also runs
 * every event through the core; `--head` compares with a head that was kept elsewhere, which is the only way
 * to notice a log that somebody wrote anew from the beginning.
 */
import { rebuild } from "../../events/replay.js";
import type { ReadOnlyLog } from "./log-reader.js";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
import { hex, withLog } from "./log-open.js";
import { Progress } from "./progress.js";
import { fields } from "./table.js";
import type { Terminal } from "./terminal.js";

export interface KeptHead {
  readonly position: number;
  readonly digest: string;
}

export interface VerifyFlags {
  readonly replay?: boolean;
  readonly head?: KeptHead;
  readonly json?: boolean;
}

interface Fault {
  readonly position: number;
  readonly reason: string;
}

export async function verifyLog(terminal: Terminal, flags: VerifyFlags & Readonly<Record<string, unknown>>): Promise<void> {
  await withLog(flags, terminal, async (log, place) => {
    const head = log.head();
    const progress = new Progress(terminal, "verifying", head.position, "events");
    const report = await log.verify((position) => progress.reached(position)).finally(() => progress.done());
    let fault: Fault | undefined = report.fault;
    const replayed = fault === undefined && flags.replay === true ? await replay(terminal, log, head.position) : undefined;
    fault ??= replayed?.fault;
    if (fault === undefined && flags.head !== undefined) fault = await keptHeadFault(log, head.position, flags.head);
    const badSnapshots = report.snapshots.filter(({ ok }) => !ok);
    const result = {
      ok: fault === undefined && badSnapshots.length === 0,
      realm: place.realm,
      events: report.events,
      batches: report.batches,
      head: { position: report.head.position, digest: hex(report.head.digest) },
      ...(replayed?.stateHash === undefined ? {} : { stateHash: replayed.stateHash }),
      ...(fault === undefined ? {} : { fault }),
      snapshots: report.snapshots,
    };
    if (flags.json === true) terminal.json(result);
    else terminal.data(reportText(terminal, result));
    if (fault !== undefined) {
      throw new CliFailure(exitCode.corrupt, `The log of realm ${place.realm} is bad at position ${fault.position}: ${fault.reason}.`, "What stands before that position is right. Restore the log from a copy or an export.", { code: "log-bad", ...fault });
    }
    const [bad] = badSnapshots;
    if (bad !== undefined) {
      throw new CliFailure(exitCode.failure, `The log is right, but its snapshot at position ${bad.position} is not: ${bad.reason ?? "unreadable"}.`, "It is not used, the log is replayed instead; look at the disk, then delete that snapshot file.", { code: "snapshot-bad", position: bad.position });
    }
  });
}

interface Verified {
  readonly ok: boolean;
  readonly events: number;
  readonly batches: number;
  readonly head: KeptHead;
  readonly stateHash?: string;
  readonly fault?: Fault;
  readonly snapshots: readonly { readonly position: number; readonly ok: boolean }[];
}

function reportText(terminal: Terminal, result: Verified): string {
  return fields(terminal, [
    ["log", result.fault === undefined ? "good" : `bad at position ${result.fault.position}`],
    ["good events", `${result.events} in ${result.batches} batches`],
    ["head", `${result.head.position}:${result.head.digest}`],
    ...(result.stateHash === undefined ? [] : [["state hash", result.stateHash] as const]),
    ["snapshots", result.snapshots.length === 0 ? "none" : result.snapshots.map(({ position, ok }) => `${position} ${ok ? "good" : "bad"}`).join(", ")],
  ]);
}

/** Runs every event through the core, and holds each snapshot's state against the replayed one. */
async function replay(terminal: Terminal, log: ReadOnlyLog, head: number): Promise<{ fault?: Fault; stateHash?: string }> {
  const snapshots = (await log.snapshots()).filter(({ position }) => position <= head);
  const targets = [...new Set([...snapshots.map(({ position }) => position), head])];
  const progress = new Progress(terminal, "replaying", targets.reduce((sum, target) => sum + target, 0), "events");
  let before = 0;
  let stateHash = "";
  try {
    for (const target of targets) {
      const core = await rebuild(log, target, { fromStart: true, progress: (reached) => progress.reached(before + reached) });
      before += target;
      stateHash = core.hash();
      const snapshot = snapshots.find(({ position, coreVersion }) => position === target && coreVersion === core.version);
      if (snapshot !== undefined && snapshot.stateHash !== stateHash) return { fault: { position: target, reason: `the snapshot there says the state is ${snapshot.stateHash}, replaying gives ${stateHash}` } };
    }
  } finally {
    progress.done();
  }
  return { stateHash };
}

async function keptHeadFault(log: ReadOnlyLog, head: number, kept: KeptHead): Promise<Fault | undefined> {
  if (kept.position === 0) return /^0*$/.test(kept.digest) ? undefined : { position: 0, reason: "an empty log's digest is all zeros" };
  if (kept.position > head) return { position: head + 1, reason: `the log ends at ${head}, and a head of ${kept.position} was kept` };
  for await (const batch of log.read(kept.position)) {
    if (batch.first + batch.count - 1 !== kept.position) return { position: kept.position, reason: "no batch ends there, so no head was ever there" };
    if (hex(batch.digest) !== kept.digest) return { position: kept.position, reason: `its digest is ${hex(batch.digest)}, not the ${kept.digest} that was kept` };
    return undefined;
  }
  return { position: kept.position, reason: "it cannot be read" };
}
