/**
 * The command tree: who stands where and how help and usage errors look. Commands themselves are one file
 * per noun.
 */
import { Command } from "commander";
import { addConfig } from "./config.js";
import { addDemo } from "./demo.js";
import { addEndpoint } from "./endpoint.js";
import { exitCodeHelp } from "./exit-code.js";
import { addLease } from "./lease.js";
import { addLog } from "./log.js";
import { addPool } from "./pool.js";
import { addServe } from "./serve.js";
import { version } from "../version.js";
import type { Terminal } from "./terminal.js";

/** Wider lines are hard to read, narrower ones break the flags. */
const helpColumns = { min: 60, max: 100, default: 80 };

/** The whole command line. Parsing throws `CommanderError` instead of ending the process. */
export function buildProgram(terminal: Terminal): Command {
  const program = new Command("holdfast");
  const width = Math.min(helpColumns.max, Math.max(helpColumns.min, terminal.columns ?? helpColumns.default));
  program
    .description("Keeps network addresses where they are: leases that survive restarts, in a log that can be replayed.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .addHelpCommand(new Command("help").argument("[command]").description("show help for a command").helpGroup("Run:"))
    .configureHelp({ helpWidth: width, showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => void terminal.out.write(text),
      writeErr: (text) => void terminal.err.write(text),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // Shown by main.ts together with every other failure, so that --json holds for these too.
      outputError: () => undefined,
    })
    .exitOverride()
    .showSuggestionAfterError(true)
    .addHelpText(
      "after",
      `
Data goes to stdout, messages to stderr. Every command takes --json.

${exitCodeHelp}

Examples:
  holdfast demo
  holdfast serve --data-dir ./holdfast-data
  holdfast pool define p2p --mode pair --prefix 172.16.1.0/24
  holdfast lease list --pool p2p
  holdfast log at 2026-11-30T14:02:00Z --data-dir ./holdfast-data`,
    );
  program.commandsGroup("Run:");
  addServe(program, terminal);
  addConfig(program, terminal);
  addDemo(program, terminal);
  program.commandsGroup("Ask a running server:");
  addPool(program, terminal);
  addEndpoint(program, terminal);
  addLease(program, terminal);
  program.commandsGroup("Read the log on this machine:");
  addLog(program, terminal);
  return program;
}
