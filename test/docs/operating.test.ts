import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { exitCode } from "#host/cli/exit-code.js";
import { configKeys } from "#host/config/keys.js";
import { Metrics } from "#host/metrics.js";
import { holdfast, kill, serve } from "../cli/process.js";

const doc = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");

describe("docs/operating.md", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "holdfast-operating-"));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it("names metrics and settings that exist", async () => {
    const exposed = await new Metrics(() => undefined).registry.metrics();
    for (const [, name] of doc.matchAll(/`(holdfast_[a-z_]+)`/g)) expect(exposed).toContain(`# HELP ${name} `);
    const settings = configKeys.map(({ key }) => key as string);
    for (const [, name] of doc.matchAll(/`([a-z]+(?:[A-Z][a-z]+)+)`/g)) expect(settings).toContain(name);
  });

  it("lists the exit codes", () => {
    const listed = [...doc.matchAll(/^\| ([\d, ]+) \| /gm)].flatMap(([, codes]) => codes!.split(", ").map(Number));
    expect(listed).toEqual(Object.values(exitCode));
  });

  it("restores a backup with the commands it shows", async () => {
    const server = await serve(join(dataDir, "live"));
    try {
      const put = { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify({ mode: "pair", prefixes: ["10.0.0.0/24"] }) };
      expect((await fetch(`${server.url}/v1/pools/p`, put)).status).toBe(201);
      const file = join(dataDir, "realm.jsonl");
      const exported = /`holdfast (log export [^`]*)`/.exec(doc)![1]!.replace("realm.jsonl", file);
      expect((await holdfast([...exported.split(" "), "--data-dir", join(dataDir, "live")])).code).toBe(0);
      const commands = /```sh\n([\s\S]*?)```/.exec(doc)![1]!.trimEnd().split("\n");
      for (const command of commands) {
        const args = command.replace("realm.jsonl", file).replace("./restored", join(dataDir, "restored")).split(" ").slice(1);
        expect(await holdfast(args), command).toMatchObject({ code: 0 });
      }
    } finally {
      await kill(server.child);
    }
  });
});
