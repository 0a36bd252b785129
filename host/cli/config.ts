/** `holdfast config`: each setting's value and where it came from, as `serve` with the same flags would see it. */
import type { Command } from "commander";
import { describeConfig } from "../config/load.js";
import { jsonOption } from "./options.js";
import { environmentHelp, loadSettings, settingFlags } from "./settings.js";
import { table } from "./table.js";
import type { Terminal } from "./terminal.js";

export function addConfig(program: Command, terminal: Terminal): void {
  settingFlags(program.command("config").description("show each setting, its value and where it came from"))
    .addOption(jsonOption())
    .addHelpText("after", environmentHelp)
    .action((flags: Record<string, unknown>) => {
      const lines = describeConfig(loadSettings(flags, terminal.env));
      if (flags["json"] === true)
        return terminal.json(Object.fromEntries(lines.map(({ key, value, origin }) => [key, { value, origin }])));
      terminal.data(
        table(
          terminal,
          [{ title: "SETTING" }, { title: "VALUE", wrap: true }, { title: "FROM", wrap: true }],
          lines.map(({ key, value, origin }) => [key, String(value), origin]),
        ),
      );
    });
}
