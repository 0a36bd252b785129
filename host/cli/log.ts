/** `holdfast log`: the log on this machine, read without a server and beside a running one. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { eventTypes } from "../../events/codec.js";
import type { EventType } from "../../events/event.js";
import type { AtFlags } from "./log-at.js";
import type { ExportFlags } from "./log-export.js";
import type { ShowFlags } from "./log-show.js";
import type { KeptHead, VerifyFlags } from "./log-verify.js";
import { jsonOption, moment, wholeNumber } from "./options.js";
import { settingFlags } from "./settings.js";
import type { Terminal } from "./terminal.js";

/** A screen or two; more is asked for. */
const shownDefault = 100;

// Each verb's module is loaded when it runs: the others, and `--help`, answer without SQLite and the core.

type Flags<T> = T & Readonly<Record<string, unknown>>;

export function addLog(program: Command, terminal: Terminal): void {
  const log = program.command("log").helpCommand(false).description("the log: show, at, verify, export, import");

  onLog(
    log
      .command("show")
      .description("list events in the order they happened")
      .option("--after <position>", "only behind this position", wholeNumber(0), 0)
      .option("--limit <n>", "at most this many", wholeNumber(1), shownDefault)
      .option("--last", "the newest instead of the first")
      .addOption(new Option("--type <types>", "only these types, comma separated").argParser(types))
      .option("--subject <name>", "only about this pool, endpoint, client, connection, address or lease"),
    new Option("--json", "print one JSON object per line"),
  ).action(async (flags: Flags<ShowFlags>) => (await import("./log-show.js")).showLog(terminal, flags));

  onLog(
    log
      .command("at")
      .description("show pools, leases and state hash as they were at a moment")
      .argument("<moment>", "position like 812, or time like 2026-11-30T14:02:00Z", moment)
      .option("--pool <pool>", "only leases of this pool")
      .option("--client <client>", "only leases of clients with this name or id")
      .option("--address <address>", "only the lease that held this address")
      .option("--ended", "also leases that had ended")
      .option("--limit <n>", "at most this many leases", wholeNumber(1), shownDefault),
  ).action(async (at: string, flags: Flags<AtFlags>) => (await import("./log-at.js")).showMoment(terminal, at, flags));

  onLog(
    log
      .command("verify")
      .description("check that the log's bytes are what was written")
      .option("--replay", "also run every event through the core")
      .addOption(new Option("--head <position:digest>", "also compare with a head kept elsewhere").argParser(keptHead)),
  )
    .addHelpText("after", "\nExit code 5 and the first bad position if the log is bad, 1 if a snapshot is.")
    .action(async (flags: Flags<VerifyFlags>) => (await import("./log-verify.js")).verifyLog(terminal, flags));

  onLog(
    log
      .command("export")
      .description("write the log as JSON lines: one event per line, a last line with digest and state hash")
      .option("--output <file>", "write to a new file instead of stdout"),
    new Option("--json", "with --output: print the last line's contents as JSON"),
  ).action(async (flags: Flags<ExportFlags>) => (await import("./log-export.js")).exportLog(terminal, flags));

  onLog(
    log
      .command("import")
      .description("bring an exported log into an empty realm")
      .argument("<file>", "file that `holdfast log export` wrote"),
  ).action(async (file: string, flags: Flags<object>) => (await import("./log-import.js")).importLog(terminal, file, flags));
}

/** Adds the flags that say which log, and --json. */
function onLog(command: Command, json = jsonOption()): Command {
  return settingFlags(command, ["dataDir", "realm"]).addOption(json);
}

function types(text: string): EventType[] {
  return text.split(",").map((part) => {
    const name = part.trim();
    if (!Object.hasOwn(eventTypes, name))
      throw new InvalidArgumentError(
        `${JSON.stringify(name)} is no event type; there are ${Object.keys(eventTypes).join(", ")}.`,
      );
    return name as EventType;
  });
}

function keptHead(text: string): KeptHead {
  const match = /^(\d{1,16}):([0-9a-fA-F]{64})$/.exec(text);
  if (match === null) throw new InvalidArgumentError("It takes position:digest as `holdfast log verify` prints it.");
  return { position: Number(match[1]), digest: String(match[2]).toLowerCase() };
}
