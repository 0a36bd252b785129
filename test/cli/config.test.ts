import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "#host/cli/run.js";
import { screen } from "./screen.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("each value is shown with where it came from: flag over environment over file over default", async () => {
  const file = join(folder, "holdfast.json");
  writeFileSync(
    file,
    JSON.stringify({
      realm: "of-file",
      logLevel: "debug",
      dataDir: "/of/file",
      tokens: [{ name: "ci", role: "operator", token: "sixteen-characters-and-more" }],
    }),
  );
  const shown = screen(undefined, {
    HOLDFAST_CONFIG: file,
    HOLDFAST_REALM: "of-env",
    HOLDFAST_LISTEN: "127.0.0.1:9000",
    HOLDFAST_TOKEN: "for-the-client",
    HOLDFAST_URL: "http://127.0.0.1:1",
  });
  expect(await run(["config", "--listen", "127.0.0.1:9001"], shown.terminal)).toBe(0);
  await expect(shown.out().replaceAll(file, "FILE")).toMatchFileSnapshot("golden/config.txt");
  expect(shown.out()).not.toContain("sixteen");
});

test("with --json it is one object by setting", async () => {
  const shown = screen(undefined, {});
  expect(await run(["config", "--json", "--realm", "rack-7"], shown.terminal)).toBe(0);
  expect(JSON.parse(shown.out())).toMatchObject({
    realm: { value: "rack-7", origin: "flag --realm" },
    dataDir: { value: "./holdfast-data", origin: "default" },
  });
});

test("everything that is wrong is named at once", async () => {
  const file = join(folder, "holdfast.json");
  writeFileSync(file, JSON.stringify({ colour: "red" }));
  const shown = screen(undefined, { HOLDFAST_CONFIG: file, HOLDFAST_REALMS: "x", HOLDFAST_LISTEN: "nowhere" });
  expect(await run(["config"], shown.terminal)).toBe(2);
  expect(shown.out()).toBe("");
  for (const name of [
    `colour in ${file} is no setting`,
    "HOLDFAST_REALMS is no setting",
    "HOLDFAST_LISTEN takes an address and a port",
  ])
    expect(shown.err()).toContain(name);
});
