/**
 * The benchmarks run from end to end with sizes that mean nothing, in processes of their own: a change of the
 * core, the realm or the host that breaks them is noticed here. No figure is looked at.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { groups } from "../../bench/harness/group.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const bench = (...args: string[]) => run(process.execPath, ["dist/bench/run.js", "--tiny", "--no-save", ...args], { cwd: root, timeout: 240_000 });

const hasGo = await run("go", ["version"]).then(
  () => true,
  () => false,
);

beforeAll(async () => {
  if (!existsSync(`${root}/dist/host/serve.js`)) throw new Error("the benchmarks measure the built code: run the build first");
  await run(process.execPath, [createRequire(import.meta.url).resolve("typescript/bin/tsc"), "-p", "bench"], { cwd: root, timeout: 120_000 });
}, 130_000);

describe("the benchmarks", () => {
  it("measure every group and print one table with budgets, peers and ratios", async () => {
    const { stdout } = await bench("--no-peers");
    for (const group of Object.keys(groups)) expect(stdout).toMatch(new RegExp(`^\\| ${group}\\.`, "m"));
    expect(stdout).toMatch(/\| http\.single +\| [\d .]+ +\| .* requests\/s \| empty route .* [\d.]+x +\| >= 0\.600x peer \| (yes|NO) +\|/);
    expect(stdout).toMatch(/cores/);
    expect(stdout).toMatch(/^Budgets: \d+ met, \d+ not met\.$/m);
  }, 250_000);

  it("name the groups there are when asked for another", async () => {
    await expect(bench("--only", "nothing")).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("wasm-size, grant") as string });
  }, 60_000);

  it.skipIf(!hasGo && process.env["CI"] !== "true")("put the Go peers beside our figures (needs Go)", async () => {
    const { stdout } = await bench("--only", "grant");
    expect(stdout).toContain("github.com/networkservicemesh/sdk v");
    expect(stdout).toMatch(/\| grant\.raw\.live-20\.exclusions-0 .*\| nsm\.pull-pair\.exclusions-0 +\| [\d .]+ +\| [\d. ]+x/);
  }, 250_000);
});
