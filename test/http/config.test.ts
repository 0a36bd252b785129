import { describe, expect, test } from "vitest";
import { tokenDigest } from "#host/auth.js";
import { ConfigError } from "#host/config/fault.js";
import { configKeys } from "#host/config/keys.js";
import { describeConfig, loadConfig } from "#host/config/load.js";
import type { ConfigSources } from "#host/config/load.js";

const secret = "0123456789abcdef";

function load(sources: Partial<ConfigSources> & { files?: Record<string, unknown> }) {
  const { files = {}, ...rest } = sources;
  const readFile = (path: string): string => {
    const content = files[path];
    if (content === undefined) throw new Error("ENOENT");
    return typeof content === "string" ? content : JSON.stringify(content);
  };
  return loadConfig({ flags: {}, env: {}, readFile, ...rest });
}

function faults(sources: Parameters<typeof load>[0]): readonly { where: string; message: string }[] {
  try {
    load(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe("the configuration", () => {
  test("without any source is the defaults", () => {
    const { config, origins } = load({});
    expect(config).toMatchObject({
      dataDir: "./holdfast-data",
      listen: { host: "127.0.0.1", port: 8080 },
      realm: "default",
      store: "embedded",
      expiryIntervalMs: 1000,
      reopenGraceSeconds: 600,
      tokens: [],
    });
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
  });

  test("takes the flag before the environment before the file before the default, and says which", () => {
    const files = { "h.json": { realm: "of-file", batchLimit: 5, logLevel: "warn" } };
    const { config, origins } = load({
      files,
      env: { HOLDFAST_CONFIG: "h.json", HOLDFAST_REALM: "of-env", HOLDFAST_BATCH_LIMIT: "6" },
      flags: { realm: "of-flag" },
    });
    expect(config).toMatchObject({ realm: "of-flag", batchLimit: 6, logLevel: "warn" });
    expect(origins).toMatchObject({
      realm: "flag --realm",
      batchLimit: "env HOLDFAST_BATCH_LIMIT",
      logLevel: "file h.json",
      listen: "default",
    });
  });

  test("refuses unknown names in the file, the environment and the flags, all at once and by name", () => {
    const found = faults({
      files: { "h.json": { lisen: "x" } },
      flags: { config: "h.json", colour: true },
      env: { HOLDFAST_LISEN: "x", PATH: "/bin", HOLDFAST_URL: "http://x", HOLDFAST_TOKEN: "t" },
    });
    expect(found.map(({ where }) => where)).toEqual(["lisen in h.json", "HOLDFAST_LISEN", "colour"]);
  });

  test.each([
    ["HOLDFAST_LISTEN", "8080"],
    ["HOLDFAST_LISTEN", "127.0.0.1:99999"],
    ["HOLDFAST_LISTEN", "[127.0.0.1]:80"],
    ["HOLDFAST_STORE", "floppy"],
    ["HOLDFAST_REALM", "a/b"],
    ["HOLDFAST_REALM", ".."],
    ["HOLDFAST_BATCH_LIMIT", "0"],
    ["HOLDFAST_BATCH_LIMIT", "ten"],
    ["HOLDFAST_BATCH_LIMIT", "1.5"],
    ["HOLDFAST_LOG_LEVEL", "loud"],
    ["HOLDFAST_DATA_DIR", ""],
    ["HOLDFAST_TOKENS", "a:operator"],
    ["HOLDFAST_TOKENS", "a:operator:short"],
    ["HOLDFAST_TOKENS", `a:king:${secret}`],
    ["HOLDFAST_TOKENS", `system:operator:${secret}`],
    ["HOLDFAST_TOKENS", `a:operator:${secret},a:reader:${secret}x`],
    ["HOLDFAST_TOKENS", `a:operator:${secret},b:reader:${secret}`],
    ["HOLDFAST_TOKENS", '[{"name":"a","role":"reader","token":"0123456789abcdef","extra":1}]'],
    ["HOLDFAST_TOKENS", '[{"name":"a","token":"0123456789abcdef"}]'],
    ["HOLDFAST_TOKENS", '[{"name":"a","role":"reader","sha256":"12"}]'],
  ])("refuses %s=%s naming the variable", (name, value) => {
    const found = faults({ env: { [name]: value } });
    expect(found).toHaveLength(1);
    expect(found[0]?.where).toBe(name);
  });

  test("never repeats a secret in a fault", () => {
    const bad = { "t.json": `[{"name": "a", "role": "reader", "token": "${secret}" "x"}]` };
    for (const found of [
      faults({ env: { HOLDFAST_TOKENS: `a:king:${secret}` } }),
      faults({ files: bad, flags: { tokensFile: "t.json" } }),
    ]) {
      expect(found).toHaveLength(1);
      expect(JSON.stringify(found)).not.toContain(secret);
    }
  });

  test("reads tokens as text, as a list and from a file, and keeps only hashes", () => {
    const files = { "t.json": [{ name: "nse", role: "agent", sha256: tokenDigest(secret).toString("hex") }] };
    const { config } = load({
      files,
      env: { HOLDFAST_TOKENS: `ci:operator+auditor:${secret}:with:colons` },
      flags: { tokensFile: "t.json" },
    });
    expect(config.tokens.map(({ name, roles }) => [name, roles])).toEqual([
      ["ci", ["operator", "auditor"]],
      ["nse", ["agent"]],
    ]);
    expect(config.tokens[0]?.digest).toEqual(tokenDigest(`${secret}:with:colons`));
    expect(JSON.stringify(config)).not.toContain(secret);
  });

  test("refuses a tokens file that is missing, no list, or empty: it would leave the door open", () => {
    expect(faults({ flags: { tokensFile: "t.json" } })).toHaveLength(1);
    expect(faults({ files: { "t.json": {} }, flags: { tokensFile: "t.json" } })).toHaveLength(1);
    expect(faults({ files: { "t.json": [] }, flags: { tokensFile: "t.json" } })).toHaveLength(1);
  });

  test("is described with each value and its source, secrets as ***", () => {
    const lines = describeConfig(load({ env: { HOLDFAST_TOKENS: `ci:operator:${secret}`, HOLDFAST_LISTEN: "[::1]:0" } }));
    expect(lines.map(({ key }) => key)).toEqual(configKeys.map(({ key }) => key));
    expect(lines.find(({ key }) => key === "tokens")).toMatchObject({ value: "***", origin: "env HOLDFAST_TOKENS" });
    expect(lines.find(({ key }) => key === "listen")).toMatchObject({ value: "[::1]:0", origin: "env HOLDFAST_LISTEN", flag: "--listen" });
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  test("takes no secret as a flag: a process's command line is public", () => {
    expect(configKeys.find(({ key }) => key === "tokens")?.flag).toBeUndefined();
    expect(configKeys.find(({ key }) => key === "tokensFile")?.flag).toBe("--tokens-file");
  });
});
