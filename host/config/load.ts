/**
 * Puts the configuration together: flag over environment over file over default. Unknown names are refused,
 * because a misspelt setting that is ignored is found out in production.
 */
import { readFileSync } from "node:fs";
import type { Token } from "../auth.js";
import { ConfigError, ValueFault } from "./fault.js";
import type { ConfigFault } from "./fault.js";
import { configKeys } from "./keys.js";
import type { Config, ConfigKey } from "./keys.js";
import { readTokens, requireDistinct } from "./tokens.js";

/** Names that start with HOLDFAST_ and are read elsewhere: the file's path here, the client's by the CLI. */
const otherEnvironment = new Set(["HOLDFAST_CONFIG", "HOLDFAST_URL", "HOLDFAST_TOKEN"]);

export interface ConfigSources {
  /** By key (`dataDir`), as the command line gave them; undefined ones do not count. `config` is the file. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile?: (path: string) => string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Where each value came from: `default`, `file holdfast.json`, `env HOLDFAST_LISTEN`, `flag --listen`. */
  readonly origins: Readonly<Record<keyof Config, string>>;
}

/** Throws `ConfigError` with everything that is wrong. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const faults: ConfigFault[] = [];
  const readFile = sources.readFile ?? ((path: string) => readFileSync(path, "utf8"));
  const { path, values: file } = readConfigFile(sources, readFile, faults);
  refuseUnknown(sources, file, path, faults);

  const config: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const key of configKeys) {
    const given = findValue(key, sources, file, path);
    config[key.key] = key.default;
    origins[key.key] = given?.origin ?? "default";
    if (given === undefined) continue;
    try {
      config[key.key] = key.read(given.value);
    } catch (error) {
      if (!(error instanceof ValueFault)) throw error;
      faults.push({ where: given.where, message: error.message });
    }
  }
  addTokensOfFile(config as unknown as MutableTokens, readFile, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return { config: config as unknown as Config, origins: origins as Record<keyof Config, string> };
}

interface Given {
  readonly value: unknown;
  readonly origin: string;
  readonly where: string;
}

function findValue(
  key: ConfigKey,
  sources: ConfigSources,
  file: Readonly<Record<string, unknown>>,
  path: string | undefined,
): Given | undefined {
  const flag = key.flag === undefined ? undefined : sources.flags[key.key];
  if (flag !== undefined) return { value: flag, origin: `flag ${key.flag}`, where: key.flag ?? key.key };
  const env = sources.env[key.env];
  if (env !== undefined) return { value: env, origin: `env ${key.env}`, where: key.env };
  if (Object.hasOwn(file, key.key)) return { value: file[key.key], origin: `file ${path}`, where: `${key.key} in ${path}` };
  return undefined;
}

function readConfigFile(
  sources: ConfigSources,
  readFile: (path: string) => string,
  faults: ConfigFault[],
): { path: string | undefined; values: Readonly<Record<string, unknown>> } {
  const flag = sources.flags["config"];
  const path = typeof flag === "string" ? flag : sources.env["HOLDFAST_CONFIG"];
  if (path === undefined) return { path, values: {} };
  const where = typeof flag === "string" ? "--config" : "HOLDFAST_CONFIG";
  const value = readJsonFile(path, where, readFile, faults);
  if (value === undefined) return { path, values: {} };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    faults.push({ where, message: `${path} must hold a JSON object` });
    return { path, values: {} };
  }
  return { path, values: value as Record<string, unknown> };
}

function readJsonFile(path: string, where: string, readFile: (path: string) => string, faults: ConfigFault[]): unknown {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    faults.push({ where, message: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}` });
    return undefined;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Only the engine's place, not its quote of the text: a file of tokens holds secrets.
    const place = /position \d+/.exec(error instanceof Error ? error.message : "")?.[0];
    faults.push({ where, message: `${path} is not JSON${place === undefined ? "" : ` (at ${place})`}` });
    return undefined;
  }
}

function refuseUnknown(
  sources: ConfigSources,
  file: Readonly<Record<string, unknown>>,
  path: string | undefined,
  faults: ConfigFault[],
): void {
  const known = new Set<string>(configKeys.map(({ key }) => key));
  for (const key of Object.keys(file)) {
    if (!known.has(key)) faults.push({ where: `${key} in ${path}`, message: `is no setting; settings are ${[...known].join(", ")}` });
  }
  const envs = new Set(configKeys.map(({ env }) => env));
  for (const name of Object.keys(sources.env)) {
    if (name.startsWith("HOLDFAST_") && !envs.has(name) && !otherEnvironment.has(name)) {
      faults.push({ where: name, message: `is no setting; the environment takes ${[...envs, ...otherEnvironment].join(", ")}` });
    }
  }
  for (const key of Object.keys(sources.flags)) {
    if (key !== "config" && sources.flags[key] !== undefined && !known.has(key)) faults.push({ where: key, message: "is no setting" });
  }
}

interface MutableTokens {
  tokens: readonly Token[];
  readonly tokensFile: string;
}

function addTokensOfFile(config: MutableTokens, readFile: (path: string) => string, faults: ConfigFault[]): void {
  if (config.tokensFile === "") return;
  const list = readJsonFile(config.tokensFile, "tokensFile", readFile, faults);
  if (list === undefined) return;
  try {
    const tokens = readTokens(list);
    // An empty list would open a server that was meant to be closed.
    if (tokens.length === 0) throw new ValueFault("holds no token");
    const all = [...config.tokens, ...tokens];
    requireDistinct(all);
    config.tokens = all;
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    faults.push({ where: config.tokensFile, message: error.message });
  }
}

export interface ConfigLine {
  readonly key: keyof Config;
  readonly value: string | number;
  readonly origin: string;
  readonly flag?: string;
  readonly env: string;
  readonly help: string;
}

/** Each value with its source, secrets as ***: what `holdfast config` prints. */
export function describeConfig({ config, origins }: LoadedConfig): ConfigLine[] {
  return configKeys.map((key) => ({
    key: key.key,
    // The list's own secrets are in `tokens`; those of the file must not make it look configured there.
    value: key.key === "tokens" && origins.tokens === "default" ? "none" : key.show(config[key.key] as never),
    origin: origins[key.key],
    ...(key.flag === undefined ? {} : { flag: key.flag }),
    env: key.env,
    help: key.help,
  }));
}
