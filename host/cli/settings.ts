/**
 * Settings on the command line: the flags of `serve`, `config` and `log` come from the one list of settings, so
 * none can be missing here or mean something else.
 */
import { Option, type Command } from "commander";
import { ConfigError } from "../config/fault.js";
import { configKeys, type Config } from "../config/keys.js";
import { loadConfig, type LoadedConfig } from "../config/load.js";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";

/** Adds --config and a flag for each setting, or only for the `wanted` ones. Values are read by `loadSettings`. */
export function settingFlags(command: Command, wanted?: readonly (keyof Config)[]): Command {
  for (const key of configKeys) {
    if (key.flag === undefined || (wanted !== undefined && !wanted.includes(key.key))) continue;
    // Not commander's own default and environment: the file stands between them and the flag.
    command.addOption(new Option(`${key.flag} <value>`, `${key.help} (default: ${String(key.show(key.default as never))})`));
  }
  return command.addOption(new Option("--config <file>", "JSON file with settings, by the names that `holdfast config` shows"));
}

/** The settings from flags, environment and file; a `CliFailure` with all that is wrong with them. */
export function loadSettings(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): LoadedConfig {
  const settings = Object.fromEntries(["config", ...configKeys.map(({ key }) => key as string)].map((key) => [key, flags[key]]));
  try {
    return loadConfig({ flags: settings, env });
  } catch (error) {
    throw error instanceof ConfigError ? settingsFailure(error) : error;
  }
}

/** All that is wrong with the settings, as the end of a command. */
export function settingsFailure(error: ConfigError): CliFailure {
  const lines = error.faults.map(({ where, message }) => `${where} ${message}${/[.!?]$/.test(message) ? "" : "."}`);
  const text =
    lines.length === 1 ? String(lines[0]) : `${lines.length} settings are wrong:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new CliFailure(
    exitCode.usage,
    text,
    "See `holdfast config --help` for the settings.",
    { code: "settings", faults: error.faults },
    { cause: error },
  );
}

/** `HOLDFAST_DATA_DIR` and so on, for the end of a help text. */
export const environmentHelp = `
Every setting can also stand in the environment (--data-dir: HOLDFAST_DATA_DIR)
or in a JSON file (--data-dir: dataDir). A flag wins over the environment, the
environment over the file. Tokens (HOLDFAST_TOKENS, tokens) have no flag.`;
