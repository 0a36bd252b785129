/** `holdfast demo`: the story, for a person to watch or (`--json`) as one document. */
import type { Command } from "commander";
import type { DemoResult } from "../demo/story.js";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
import { jsonOption } from "./options.js";
import type { Terminal } from "./terminal.js";

export function addDemo(program: Command, terminal: Terminal): void {
  program
    .command("demo")
    .description("watch two clients keep their addresses while the server is killed")
    .option("--kill-each", "also kill a server process for each of the 24 orders (slower)")
    .addOption(jsonOption())
    .action(async (flags: { killEach?: boolean; json?: boolean }) => {
      // Loaded here: the other commands answer before a server's modules would be read.
      const { playDemo } = await import("../demo/story.js");
      const result = await interruptible((signal) => playDemo(terminal, { killEach: flags.killEach === true, silent: flags.json === true, signal }));
      if (flags.json === true) terminal.json(result);
      if (!result.ok) throw new CliFailure(exitCode.failure, "The demo failed: an address moved or was shared.", "Please report it together with the output of `holdfast demo --json`.");
    });
}

/** Turns SIGINT and SIGTERM into an abort, so that the demo's own clean-up runs before the process ends. */
async function interruptible(play: (signal: AbortSignal) => Promise<DemoResult>): Promise<DemoResult> {
  const interruption = new AbortController();
  let received: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    received ??= signal;
    interruption.abort();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await play(interruption.signal);
  } catch (error) {
    if (received === undefined) throw error;
    throw new CliFailure(received === "SIGINT" ? exitCode.interrupted : exitCode.terminated, "Interrupted; everything the demo started is gone.", "", {}, { cause: error });
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}
