/** `holdfast serve`: the service in this process, until SIGINT or SIGTERM. */
import { Option, type Command } from "commander";
import { ConfigError } from "../config/fault.js";
import { environmentHelp, loadSettings, settingFlags, settingsFailure } from "./settings.js";
import type { Terminal } from "./terminal.js";

export function addServe(program: Command, terminal: Terminal): void {
  settingFlags(program.command("serve").description("start the service and run it until it is stopped"))
    .addOption(new Option("--json", "print one line of JSON on stdout when ready: url, realm, pid"))
    .addHelpText("after", environmentHelp)
    .action(async (flags: Record<string, unknown>) => {
      const { config } = loadSettings(flags, terminal.env);
      // Not loaded by the other commands: they answer before a server's modules would be read.
      const { serve } = await import("../serve.js");
      try {
        await serve(config, {
          onReady: ({ url }) => {
            // One line that says where, for whoever started us on port 0.
            if (flags["json"] === true) terminal.data(JSON.stringify({ url, realm: config.realm, pid: process.pid }));
            else if (terminal.watched) terminal.message(`Holdfast serves realm ${config.realm} at ${url}. Ctrl-C stops it.`);
          },
        });
      } catch (error) {
        throw error instanceof ConfigError ? settingsFailure(error) : error;
      }
    });
}
