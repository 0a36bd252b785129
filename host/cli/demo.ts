/** `holdfast demo`: the story, for a person to watch or (`--json`) as one document. */
import type { Command } from "commander";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
import { interruptible } from "./interrupt.js";
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
      const result = await interruptible("Interrupted; everything the demo started is gone.", (signal) =>
        playDemo(terminal, { killEach: flags.killEach === true, silent: flags.json === true, signal }),
      );
      if (flags.json === true) terminal.json(result);
      if (!result.ok)
        throw new CliFailure(
          exitCode.failure,
          "The demo failed: an address moved or was shared.",
          "Please report it together with the output of `holdfast demo --json`.",
        );
    });
}
