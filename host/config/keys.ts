/** Every setting: its name, where it can be set, what it takes, and why its default is what it is. */
import type { Token } from "../auth.js";
import { formatListen, parseListen } from "../listen.js";
import type { ListenAddress } from "../listen.js";
import { ValueFault } from "./fault.js";
import { readTokens } from "./tokens.js";
import { choice, realmName, text, whole } from "./values.js";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export interface Config {
  readonly dataDir: string;
  readonly listen: ListenAddress;
  readonly realm: string;
  readonly store: "embedded" | "memory";
  readonly bodyLimitBytes: number;
  readonly batchLimit: number;
  readonly expiryIntervalMs: number;
  readonly expiryLimit: number;
  readonly reopenGraceSeconds: number;
  readonly snapshotEvents: number;
  readonly logLevel: (typeof logLevels)[number];
  /** Those of `tokens` and of `tokensFile`. */
  readonly tokens: readonly Token[];
  readonly tokensFile: string;
  readonly shutdownSeconds: number;
  readonly roomLowBytes: number;
}

export interface ConfigKey<K extends keyof Config = keyof Config> {
  readonly key: K;
  /** Undefined: not as a flag, because the command line of a process is no secret. */
  readonly flag?: string;
  readonly env: string;
  readonly default: Config[K];
  readonly help: string;
  /** Shown as ***. */
  readonly secret?: boolean;
  /** Throws `ValueFault`. */
  readonly read: (value: unknown) => Config[K];
  readonly show: (value: Config[K]) => string | number;
}

const mebibyte = 1024 * 1024;

function define<K extends keyof Config>(
  key: K,
  rest: {
    readonly default: Config[K];
    readonly help: string;
    readonly read: (value: unknown) => Config[K];
    readonly show?: (value: Config[K]) => string | number;
    readonly secret?: boolean;
  },
): ConfigKey<K> {
  const words = key.replace(/[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return {
    key,
    env: `HOLDFAST_${words.toUpperCase()}`,
    ...(rest.secret === true ? {} : { flag: `--${words.replaceAll("_", "-")}` }),
    show: (value) => (typeof value === "number" ? value : String(value)),
    ...rest,
  };
}

export const configKeys: readonly ConfigKey[] = [
  define("dataDir", { default: "./holdfast-data", help: "directory of the log and its snapshots", read: text }),
  define("listen", {
    default: { host: "127.0.0.1", port: 8080 },
    help: "address and port; other than loopback only with tokens",
    read: listen,
    show: formatListen,
  }),
  define("realm", { default: "default", help: "name of the realm: one log, one set of pools", read: realmName }),
  define("store", {
    default: "embedded",
    help: "embedded: a log on this disk; memory: nothing outlives the process",
    read: choice("embedded", "memory"),
  }),
  define("bodyLimitBytes", { default: 4 * mebibyte, help: "largest request body", read: whole(1024, 256 * mebibyte, "bytes") }),
  define("batchLimit", { default: 1000, help: "most elements of one POST .../requests", read: whole(1, 10_000, "elements") }),
  define("expiryIntervalMs", {
    default: 1000,
    help: "how often leases are looked at for expiry",
    read: whole(10, 3_600_000, "milliseconds"),
  }),
  define("expiryLimit", {
    default: 1000,
    help: "most leases one look ends; the next follows at once if there are more",
    read: whole(1, 100_000, "leases"),
  }),
  define("reopenGraceSeconds", {
    default: 600,
    help: "time that clients get to refresh after the service was down",
    read: whole(0, 31_536_000, "seconds"),
  }),
  define("snapshotEvents", { default: 100_000, help: "events between two snapshots", read: whole(1000, 100_000_000, "events") }),
  define("logLevel", {
    default: "info",
    help: "answered requests at debug, refused ones at info, failures at warn and error",
    read: choice(...logLevels),
  }),
  define("tokens", {
    default: [],
    help: "bearer tokens: [{name, role, token | sha256}] or name:role:secret,...",
    read: readTokens,
    show: (tokens) => (tokens.length === 0 ? "none" : "***"),
    secret: true,
  }),
  define("tokensFile", { default: "", help: "file with a JSON list of tokens", read: text, show: (path) => (path === "" ? "none" : path) }),
  define("shutdownSeconds", { default: 10, help: "time that requests get to finish at a stop", read: whole(0, 3600, "seconds") }),
  define("roomLowBytes", {
    default: 256 * mebibyte,
    help: "free disk space below which no new leases are taken on",
    read: whole(0, Number.MAX_SAFE_INTEGER, "bytes"),
  }),
] as unknown as readonly ConfigKey[];

function listen(value: unknown): ListenAddress {
  const address = typeof value === "string" ? parseListen(value) : undefined;
  if (address === undefined)
    throw new ValueFault(`takes an address and a port like 127.0.0.1:8080 or [::1]:8080, not ${JSON.stringify(value)}`);
  return address;
}
