/** `holdfast log export`: the whole log as JSON lines, to stdout or to a file that appears when it is complete. */
import { createHash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { Core } from "../../events/core.js";
import { decodeEvents } from "../../events/codec.js";
import { syncDirectory } from "../../events/directory.js";
import { recordsBetween } from "../../events/replay.js";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
import { interruptible } from "./interrupt.js";
import { exportFormat, headLine, type ExportHead } from "./log-file.js";
import { hex, withLog } from "./log-open.js";
import { Progress } from "./progress.js";
import type { Terminal } from "./terminal.js";
import { Turns } from "./turns.js";

export interface ExportFlags {
  readonly output?: string;
  readonly json?: boolean;
}

export async function exportLog(terminal: Terminal, flags: ExportFlags & Readonly<Record<string, unknown>>): Promise<void> {
  const { output } = flags;
  if (output === undefined) {
    await withLines(
      (write) => exportLines(terminal, flags, write),
      (text) => terminal.flow(text),
    );
    return;
  }
  if (existsSync(output))
    throw new CliFailure(exitCode.usage, `${output} exists already.`, "Choose another name; an export never overwrites.", {
      code: "exists",
    });
  const head = await interruptible(`Interrupted; ${output} was not written.`, (signal) =>
    exportToFile(terminal, flags, output, signal),
  );
  if (flags.json === true) return terminal.json({ file: output, head });
  terminal.message(`${head.position} events of realm ${head.realm} are in ${output}. State hash ${head.stateHash}.`);
}

/** Under another name until it is whole and on the disk. */
async function exportToFile(
  terminal: Terminal,
  flags: Readonly<Record<string, unknown>>,
  output: string,
  signal: AbortSignal,
): Promise<ExportHead> {
  const partial = `${output}.partial`;
  const file = await open(partial, "w");
  try {
    let head: ExportHead;
    try {
      head = await withLines(
        (write) => exportLines(terminal, flags, write),
        async (text) => {
          signal.throwIfAborted();
          await file.write(text);
        },
      );
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, output);
    await syncDirectory(dirname(output));
    return head;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Bytes gathered before they are handed on: a write per event would cost more than the event. */
const chunkChars = 256 * 1024;

async function withLines<T>(
  work: (write: (text: string) => Promise<void>) => Promise<T>,
  flush: (text: string) => Promise<void>,
): Promise<T> {
  let gathered = "";
  const result = await work(async (text) => {
    gathered += text;
    if (gathered.length < chunkChars) return;
    const full = gathered;
    gathered = "";
    await flush(full);
  });
  await flush(gathered);
  return result;
}

async function exportLines(
  terminal: Terminal,
  flags: Readonly<Record<string, unknown>>,
  write: (text: string) => Promise<void>,
): Promise<ExportHead> {
  return withLog(flags, terminal, async (log, { realm }) => {
    // The head of now: a server that goes on writing must not make the export endless.
    const { position, digest } = log.head();
    const core = Core.create();
    const lines = createHash("sha256");
    const progress = new Progress(terminal, "exporting", position, "events");
    const turns = new Turns();
    try {
      for await (const batch of log.read(1)) {
        await turns.pause();
        const records = recordsBetween(batch, 1, position);
        core.apply(records);
        const text = decodeEvents(records)
          .map((event) => `${JSON.stringify(event)}\n`)
          .join("");
        lines.update(text);
        await write(text);
        progress.reached(core.position);
        if (core.position >= position) break;
      }
    } finally {
      progress.done();
    }
    const head: ExportHead = {
      format: exportFormat,
      realm,
      logId: log.logId,
      position,
      digest: hex(digest),
      stateHash: core.hash(),
      coreVersion: core.version,
      linesSha256: lines.digest("hex"),
    };
    await write(`${headLine(head)}\n`);
    return head;
  });
}
