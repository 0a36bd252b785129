/**
 * Runs one command line and tells how it ended: a sentence and a next step on stderr (a JSON document with
 * `--json`), an exit code for scripts.
 */
import { debuglog } from "node:util";
import { CommanderError, type Command } from "commander";
import { StoreError } from "../../events/store.js";
import { exitCode, type ExitCode } from "./exit-code.js";
import { CliFailure, reasons } from "./failure.js";
import { buildProgram } from "./program.js";
import { refusalFacts } from "./refusal.js";
import { printable, type Terminal } from "./terminal.js";

/** Stacks of unexpected failures: NODE_DEBUG=holdfast. */
const debug = debuglog("holdfast");

/** `args` without the program's name. Never throws. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const json = args.includes("--json");
  const program = buildProgram(terminal);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode.ok;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.ok;
    debug("%o", error);
    const failure = asFailure(error, commandNamed(program, args));
    // Help that was asked for by leaving out the verb is already on stderr.
    if (failure.message !== "") tell(terminal, failure, json);
    return failure.exit;
  }
}

/** `holdfast pool define`: as much of the command as the arguments name, for a hint that fits. */
function commandNamed(program: Command, args: readonly string[]): string {
  let command = program;
  let name = program.name();
  for (const arg of args) {
    const next = command.commands.find((known) => known.name() === arg);
    if (next === undefined) break;
    command = next;
    name += ` ${arg}`;
  }
  return name;
}

function asFailure(error: unknown, command: string): CliFailure {
  if (error instanceof CliFailure) return error;
  if (error instanceof CommanderError) return usageFailure(error, command);
  if (error instanceof StoreError) return storeFailure(error);
  // By name: commands that ask a server must not load the core to tell its failures.
  if (error instanceof Error && error.name === "CoreStopped")
    return storeFailure(new StoreError("corrupt", error.message, {}, { cause: error }));
  return new CliFailure(
    exitCode.failure,
    sentence(reasons(error).join(": ")),
    "Run it again with NODE_DEBUG=holdfast to see where it happened.",
    {},
    { cause: error },
  );
}

function usageFailure(error: CommanderError, command: string): CliFailure {
  if (error.code === "commander.help") return new CliFailure(exitCode.usage, "");
  const text = error.message.replace(/^error: /, "");
  const [first = "", ...rest] = text.split("\n");
  const hint = rest.join(" ").replace(/^\(|\)$/g, "");
  return new CliFailure(exitCode.usage, sentence(first), `${hint === "" ? "" : `${hint} `}See \`${command} --help\`.`, {
    code: "usage",
  });
}

/** How a log that cannot be opened or read ends a command. */
export function storeFailure(error: StoreError): CliFailure {
  const facts = { code: `store-${error.code}`, ...error.facts };
  const message = sentence(error.message);
  switch (error.code) {
    case "locked":
      return new CliFailure(
        exitCode.locked,
        message,
        "Commands that only read, like `holdfast log show`, work meanwhile.",
        facts,
        { cause: error },
      );
    case "corrupt":
      return new CliFailure(
        exitCode.corrupt,
        message,
        "`holdfast log verify --replay` names the first bad position; restore the log from a copy or an export.",
        facts,
        { cause: error },
      );
    default:
      return new CliFailure(exitCode.failure, message, "", facts, { cause: error });
  }
}

/** With a capital letter and a full stop. */
function sentence(text: string): string {
  const capital = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

function tell(terminal: Terminal, failure: CliFailure, json: boolean): void {
  if (json) {
    terminal.message(
      JSON.stringify({
        error: {
          message: failure.message,
          ...(failure.next === "" ? {} : { next: failure.next }),
          exitCode: failure.exit,
          ...failure.facts,
        },
      }),
    );
    return;
  }
  const label = failure.exit === exitCode.refused ? "Refused" : "Error";
  terminal.message(`${terminal.messageStyle("red", `${label}:`)} ${failure.message.split("\n").map(printable).join("\n")}`);
  if (failure.exit === exitCode.refused) {
    for (const [name, value] of refusalFacts(failure.facts))
      terminal.message(`  ${terminal.messageStyle("dim", name)} ${printable(value)}`);
  }
  if (failure.next !== "") terminal.message(failure.next);
}
