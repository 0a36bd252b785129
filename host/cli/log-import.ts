/**
 * `holdfast log import`: an exported log into an empty realm. The file is read twice: once to see that it is
 * whole and that its events follow from one another, and only then to write them. The realm gets its name when
 * everything is written and read back: a server that opened half a log would give away addresses that
 * the other half says are held.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Core, CoreStopped } from "../../events/core.js";
import { RecordWriter, encodeEvents, eventTypes, writeEvent } from "../../events/codec.js";
import { syncDirectory } from "../../events/directory.js";
import type { Event } from "../../events/event.js";
import { openReadOnly } from "../../events/log-view.js";
import { rebuild } from "../../events/replay.js";
import { openSqliteStore } from "../../events/sqlite-store.js";
import { logPaths } from "../../events/sqlite/layout.js";
import type { EventStore, Head } from "../../events/store.js";
import { exitCode } from "./exit-code.js";
import { CliFailure, reasons } from "./failure.js";
import { interruptible } from "./interrupt.js";
import { asHead, exportFormat, type ExportHead } from "./log-file.js";
import { hasLog, hex, placeOf, type Place } from "./log-open.js";
import { Progress } from "./progress.js";
import type { Terminal } from "./terminal.js";

/** Events of one durable append: large enough that the fsync does not count, small enough to read back in pieces. */
const batchEvents = 1000;

export async function importLog(terminal: Terminal, file: string, flags: Readonly<Record<string, unknown>>): Promise<void> {
  const place = placeOf(flags, terminal);
  const result = await interruptible(`Interrupted; realm ${place.realm} was not made.`, async (signal) => {
    await requireEmpty(place);
    const source: Source = { file, bytes: await sizeOf(file), signal };
    const head = await checkFile(terminal, source);
    const draft: Place = { ...place, ...draftOf(place) };
    try {
      const written = await writeDraft(terminal, source, draft, head);
      await requireEmpty(place);
      // A log without events, or an empty folder; anything else was refused.
      await rm(place.folder, { recursive: true, force: true });
      await rename(draft.folder, place.folder);
      await syncDirectory(place.dataDir);
      return { ...written, stateHash: head.stateHash };
    } finally {
      await rm(draft.folder, { recursive: true, force: true });
    }
  });
  if (flags["json"] === true)
    return terminal.json({
      realm: place.realm,
      events: result.position,
      head: { position: result.position, digest: hex(result.digest) },
      stateHash: result.stateHash,
    });
  terminal.message(
    `${result.position} events are in realm ${place.realm} in ${place.dataDir}. State hash ${result.stateHash}, as exported.`,
  );
}

/** Where the file comes from, and what ends reading it early. */
interface Source {
  readonly file: string;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** A name nobody serves, different for two imports at the same time. */
function draftOf({ dataDir }: Place): { realm: string; folder: string } {
  const realm = `importing-${process.pid}-${Date.now()}`;
  return { realm, folder: logPaths(dataDir, realm).folder };
}

/** Writes the events and reads them back from the disk; gives the head of what is there. */
async function writeDraft(terminal: Terminal, source: Source, draft: Place, head: ExportHead): Promise<Head> {
  const store = await openSqliteStore({ dataDir: draft.dataDir, realm: draft.realm });
  try {
    await writeEvents(terminal, store, source);
    const progress = new Progress(terminal, "verifying", head.position, "events");
    const core = await rebuild(store, store.head().position, {
      fromStart: true,
      progress: (position) => progress.reached(position),
    }).finally(() => progress.done());
    const { position } = store.head();
    if (position !== head.position || core.hash() !== head.stateHash) {
      throw new CliFailure(
        exitCode.corrupt,
        `What was written is not what the file holds: position ${position}, state hash ${core.hash()}. It was removed again.`,
        "Look at the disk, then import again.",
        { code: "import-bad" },
      );
    }
    return store.head();
  } finally {
    await store.close();
  }
}

/** Refuses a realm with events, and a folder that holds something else: it would be replaced. */
async function requireEmpty(place: Place): Promise<void> {
  if (!hasLog(place)) {
    if (!existsSync(place.folder) || readdirSync(place.folder).length === 0) return;
    throw new CliFailure(
      exitCode.refused,
      `${place.folder} is there and holds files, but no log.`,
      "Choose another --realm or --data-dir.",
      { code: "no-log", folder: place.folder },
    );
  }
  const log = await openReadOnly(place.folder);
  try {
    const { position } = log.head();
    if (position > 0) throw notEmpty(place, position);
  } finally {
    await log.close();
  }
}

function notEmpty(place: Place, position: number): CliFailure {
  return new CliFailure(
    exitCode.refused,
    `Realm ${place.realm} in ${place.dataDir} has a log of ${position} events already; an import goes into an empty one.`,
    "Choose another --realm or --data-dir.",
    { code: "not-empty", realm: place.realm, position },
  );
}

async function sizeOf(file: string): Promise<number> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new Error("it is not a plain file, and it has to be read twice");
    return found.size;
  } catch (error) {
    throw new CliFailure(
      exitCode.usage,
      `${file} cannot be imported: ${reasons(error).join(": ")}.`,
      "",
      { code: "usage" },
      { cause: error },
    );
  }
}

/** Reads the whole file and runs its events through a core. Gives its head; writes nothing. */
async function checkFile(terminal: Terminal, { file, bytes, signal }: Source): Promise<ExportHead> {
  const progress = new Progress(terminal, "checking", megabytes(bytes), "MB");
  const core = Core.create();
  const record = new RecordWriter();
  const lines = createHash("sha256");
  let head: ExportHead | undefined;
  let line = 0;
  let seen = 0;
  try {
    for await (const text of linesOf(file)) {
      signal.throwIfAborted();
      line++;
      seen += Buffer.byteLength(text) + 1;
      if (head !== undefined) throw badFile(file, line, "something stands behind the last line of the export");
      const value = parse(file, line, text);
      head = asHead(value);
      if (head !== undefined) continue;
      lines.update(`${text}\n`);
      // One by one, so that the line named is the line at fault.
      apply(file, line, core, record, asEvent(file, line, value));
      progress.reached(megabytes(seen));
    }
  } finally {
    progress.done();
  }
  if (head === undefined)
    throw badFile(file, line, "the last line, which says what was exported, is missing: the file was cut off");
  if (head.format !== exportFormat)
    throw new CliFailure(
      exitCode.usage,
      `${file} has export format ${head.format}, and this version reads ${exportFormat}.`,
      "Import it with the version that reads it.",
      { code: "format" },
    );
  if (lines.digest("hex") !== head.linesSha256) throw badFile(file, line, "its lines are not those that were exported");
  if (core.position !== head.position) throw badFile(file, line, `it holds ${core.position} events and says ${head.position}`);
  // Another core may hash the same state otherwise; its version says so, and then only the events are compared.
  if (core.version === head.coreVersion && core.hash() !== head.stateHash)
    throw badFile(file, line, `its events lead to state ${core.hash()}, and it says ${head.stateHash}`);
  return core.version === head.coreVersion ? head : { ...head, stateHash: core.hash() };
}

function apply(file: string, line: number, core: Core, record: RecordWriter, event: Event): void {
  const due = core.position + 1;
  if (event.position !== due) throw badFile(file, line, `position ${due} belongs there, not ${event.position}`);
  try {
    record.reset();
    writeEvent(record, event);
    core.apply(record.written());
  } catch (error) {
    throw badFile(
      file,
      line,
      error instanceof CoreStopped ? "the event does not follow from those before it" : reasons(error).join(": "),
    );
  }
}

async function writeEvents(terminal: Terminal, store: EventStore, { file, bytes, signal }: Source): Promise<void> {
  const progress = new Progress(terminal, "importing", megabytes(bytes), "MB");
  let events: Event[] = [];
  let seen = 0;
  let line = 0;
  let at = 0;
  const append = async (): Promise<void> => {
    if (events.length === 0) return;
    // The time of the events, not of the import: `log at <time>` finds its place by it.
    at = Math.max(at, ...events.map(({ time }) => Date.parse(time)));
    await store.append(store.head().position, encodeEvents(events), events.length, at);
    events = [];
  };
  try {
    for await (const text of linesOf(file)) {
      signal.throwIfAborted();
      line++;
      seen += Buffer.byteLength(text) + 1;
      const value = parse(file, line, text);
      if (asHead(value) !== undefined) break;
      events.push(asEvent(file, line, value));
      if (events.length >= batchEvents) await append();
      progress.reached(megabytes(seen));
    }
    await append();
  } finally {
    progress.done();
  }
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file, { encoding: "utf8" });
  try {
    yield* createInterface({ input: stream, crlfDelay: Infinity });
  } finally {
    stream.destroy();
  }
}

function parse(file: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badFile(file, line, "it is not JSON");
  }
}

function asEvent(file: string, line: number, value: unknown): Event {
  if (typeof value !== "object" || value === null) throw badFile(file, line, "it is no event");
  const event = value as Record<string, unknown>;
  if (!Number.isSafeInteger(event["position"]) || typeof event["data"] !== "object" || event["data"] === null)
    throw badFile(file, line, "it is no event");
  if (typeof event["type"] !== "string" || !Object.hasOwn(eventTypes, event["type"]))
    throw badFile(file, line, `${JSON.stringify(event["type"])} is no event type of this version`);
  return value as Event;
}

function badFile(file: string, line: number, reason: string): CliFailure {
  return new CliFailure(
    exitCode.corrupt,
    `${file} is not a whole export: line ${line}: ${reason}. Nothing was written.`,
    "Export it again, or take another copy.",
    { code: "export-bad", line },
  );
}
