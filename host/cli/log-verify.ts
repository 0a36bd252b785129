/**
 * `holdfast log verify`: are the log's bytes what was written? Recomputes every digest; `--replay` also runs
 * every event through the core; `--head` compares with a head that was kept elsewhere, which is the only way
 * to notice a log that somebody wrote anew from the beginning.
 */
import { CoreStopped } from "../../events/core.js";
import { openReadOnly, verifyLog as verifyFolder, type LogView } from "../../events/log-view.js";
import { rebuild, recordsBetween } from "../../events/replay.js";
import { StoreError, type VerifyReport } from "../../events/store.js";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
import { hex, placeOfLog, type Place } from "./log-open.js";
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
  const place = placeOfLog(flags, terminal);
  const log = await openIfReadable(place);
  try {
    conclude(terminal, flags, place, await examine(terminal, flags, place, log));
  } finally {
    await log?.close();
  }
}

interface Findings {
  readonly report: VerifyReport;
  readonly fault: Fault | undefined;
  readonly stateHash: string | undefined;
}

/** Undefined where not even the end of the log can be read: what is wrong is then for the report to say. */
async function openIfReadable(place: Place): Promise<LogView | undefined> {
  try {
    return await openReadOnly(place.folder);
  } catch (error) {
    if (error instanceof StoreError && error.code === "corrupt") return undefined;
    throw error;
  }
}

async function examine(terminal: Terminal, flags: VerifyFlags, place: Place, log: LogView | undefined): Promise<Findings> {
  const progress = new Progress(terminal, "verifying", log?.head().position ?? 0, "events");
  const reached = (position: number): void => progress.reached(position);
  const report = await (log === undefined ? verifyFolder(place.folder, reached) : log.verify(reached)).finally(() =>
    progress.done(),
  );
  if (report.fault !== undefined || log === undefined) return { report, fault: report.fault, stateHash: undefined };
  const replayed = flags.replay === true ? await replay(terminal, log, report.head.position) : {};
  const fault =
    replayed.fault ?? (flags.head === undefined ? undefined : await keptHeadFault(log, report.head.position, flags.head));
  return { report, fault, stateHash: replayed.stateHash };
}

function conclude(terminal: Terminal, flags: VerifyFlags, place: Place, { report, fault, stateHash }: Findings): void {
  const badSnapshots = report.snapshots.filter(({ ok }) => !ok);
  const result = {
    ok: fault === undefined && badSnapshots.length === 0,
    realm: place.realm,
    events: report.events,
    batches: report.batches,
    head: { position: report.head.position, digest: hex(report.head.digest) },
    ...(stateHash === undefined ? {} : { stateHash }),
    ...(fault === undefined ? {} : { fault }),
    snapshots: report.snapshots,
  };
  if (flags.json === true) terminal.json(result);
  else terminal.data(reportText(terminal, result));
  if (fault !== undefined) {
    throw new CliFailure(
      exitCode.corrupt,
      `The log of realm ${place.realm} is bad at position ${fault.position}: ${fault.reason}.`,
      "What stands before that position is right. Restore the log from a copy or an export.",
      { code: "log-bad", ...fault },
    );
  }
  const [bad] = badSnapshots;
  if (bad !== undefined) {
    throw new CliFailure(
      exitCode.failure,
      `The log is right, but its snapshot at position ${bad.position} is not: ${bad.reason ?? "unreadable"}.`,
      "It is not used, the log is replayed instead; look at the disk, then delete that snapshot file.",
      { code: "snapshot-bad", position: bad.position },
    );
  }
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
    [
      "snapshots",
      result.snapshots.length === 0
        ? "none"
        : result.snapshots.map(({ position, ok }) => `${position} ${ok ? "good" : "bad"}`).join(", "),
    ],
  ]);
}

/** Runs every event through the core, and holds each snapshot's state against the replayed one. */
async function replay(terminal: Terminal, log: LogView, head: number): Promise<{ fault?: Fault; stateHash?: string }> {
  const snapshots = (await log.snapshots()).filter(({ position }) => position <= head);
  const targets = [...new Set([...snapshots.map(({ position }) => position), head])];
  const total = targets.reduce((sum, target) => sum + target, 0);
  const progress = new Progress(terminal, "replaying", total, "events");
  let before = 0;
  let stateHash = "";
  try {
    for (const target of targets) {
      const core = await rebuild(log, target, { fromStart: true, progress: (reached) => progress.reached(before + reached) });
      before += target;
      stateHash = core.hash();
      const snapshot = snapshots.find(({ position, coreVersion }) => position === target && coreVersion === core.version);
      if (snapshot !== undefined && snapshot.stateHash !== stateHash) {
        const reason = `the snapshot there says the state is ${snapshot.stateHash}, replaying gives ${stateHash}`;
        return { fault: { position: target, reason } };
      }
    }
  } catch (error) {
    const near = error instanceof StoreError && error.code === "corrupt" ? error.facts.position : undefined;
    if (near === undefined) throw error;
    return { fault: { position: await strangeEvent(log, near), reason: "the event does not follow from those before it" } };
  } finally {
    progress.done();
  }
  return { stateHash };
}

/** The event that stops the core, found one by one: a stopped core only says about where it was. */
async function strangeEvent(log: LogView, near: number): Promise<number> {
  const core = await rebuild(log, Math.max(0, near - 2), { fromStart: true });
  for await (const batch of log.read(core.position + 1)) {
    for (let position = core.position + 1; position < batch.first + batch.count; position++) {
      try {
        core.apply(recordsBetween(batch, position, position));
      } catch (error) {
        if (error instanceof CoreStopped) return position;
        throw error;
      }
    }
  }
  return near;
}

async function keptHeadFault(log: LogView, head: number, kept: KeptHead): Promise<Fault | undefined> {
  if (kept.position === 0)
    return /^0*$/.test(kept.digest) ? undefined : { position: 0, reason: "an empty log's digest is all zeros" };
  if (kept.position > head)
    return { position: head + 1, reason: `the log ends at ${head}, and a head of ${kept.position} was kept` };
  for await (const batch of log.read(kept.position)) {
    if (batch.first + batch.count - 1 !== kept.position)
      return { position: kept.position, reason: "no batch ends there, so no head was ever there" };
    if (hex(batch.digest) !== kept.digest)
      return { position: kept.position, reason: `its digest is ${hex(batch.digest)}, not the ${kept.digest} that was kept` };
    return undefined;
  }
  return { position: kept.position, reason: "it cannot be read" };
}
