/**
 * A realm's log on this machine, opened for reading: a server may go on writing to it, and nothing here can
 * change a byte of it.
 */
import { existsSync } from "node:fs";
import { decodeEvents } from "../../events/codec.js";
import type { Event } from "../../events/event.js";
import { openReadOnly, type LogView } from "../../events/log-view.js";
import { recordsBetween } from "../../events/replay.js";
import { findSegment, logPaths } from "../../events/sqlite/layout.js";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
import { loadSettings } from "./settings.js";
import type { Terminal } from "./terminal.js";
import { Turns } from "./turns.js";

export interface Place {
  readonly dataDir: string;
  readonly realm: string;
  readonly folder: string;
}

/** Where the flags, the environment and the settings file say the log is. */
export function placeOf(flags: Readonly<Record<string, unknown>>, terminal: Terminal): Place {
  const { dataDir, realm } = loadSettings(
    { dataDir: flags["dataDir"], realm: flags["realm"], config: flags["config"] },
    terminal.env,
  ).config;
  return { dataDir, realm, folder: logPaths(dataDir, realm).folder };
}

export function hasLog({ folder }: Place): boolean {
  return existsSync(folder) && findSegment(folder) !== undefined;
}

/** Runs `work` on the log and closes it, however `work` ends. */
export async function withLog<T>(
  flags: Readonly<Record<string, unknown>>,
  terminal: Terminal,
  work: (log: LogView, place: Place) => Promise<T>,
): Promise<T> {
  const place = placeOfLog(flags, terminal);
  const log = await openReadOnly(place.folder);
  try {
    return await work(log, place);
  } finally {
    await log.close();
  }
}

/** As `placeOf`; refuses a place without a log, and makes none. */
export function placeOfLog(flags: Readonly<Record<string, unknown>>, terminal: Terminal): Place {
  const place = placeOf(flags, terminal);
  if (!hasLog(place)) {
    throw new CliFailure(
      exitCode.usage,
      `There is no log of realm ${place.realm} in ${place.dataDir}.`,
      "Name the directory with --data-dir and the realm with --realm, as the server was started with.",
      { code: "no-log", ...place },
    );
  }
  return place;
}

/** Events behind `after` up to `last`, a batch at a time. */
export async function* eventsOf(log: LogView, after: number, last: number): AsyncGenerator<Event[]> {
  if (after >= last) return;
  const turns = new Turns();
  for await (const batch of log.read(after + 1)) {
    await turns.pause();
    yield decodeEvents(recordsBetween(batch, after + 1, last));
    if (batch.first + batch.count - 1 >= last) return;
  }
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
