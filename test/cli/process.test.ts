/** The whole way: a process that serves, a process that asks, a process that is killed. */
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { longExport } from "./long-export.js";
import { holdfast, kill, serve, start, type Serving } from "./process.js";
import { temporaryFolder, writeStory } from "./realm-on-disk.js";
import { request } from "./service.js";

let folder: ReturnType<typeof temporaryFolder>;
const running: ReturnType<typeof start>[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(kill));
  folder.remove();
});

async function serving(...args: string[]): Promise<Serving> {
  const server = await serve(folder.path, ...args);
  running.push(server.child);
  return server;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("leases outlive a killed server: served, killed, served again, listed as before", async () => {
  const first = await serving();
  const env = { HOLDFAST_URL: first.url };
  expect(await holdfast(["pool", "define", "p2p", "--mode", "pair", "--prefix", "172.16.1.0/24"], env)).toMatchObject({
    code: 0,
    out: "",
  });
  expect((await holdfast(["endpoint", "define", "nse", "--group", "p2p"], env)).code).toBe(0);
  const one = await request(first.url, "nse", "NSC-1");
  const two = await request(first.url, "nse", "NSC-2");
  // Without the expiry, which a reopened realm moves by its grace.
  const leases = async (url: string): Promise<string[]> => {
    const { out } = await holdfast(["lease", "list"], { HOLDFAST_URL: url });
    return out.split("\n").map((line) => line.replace(/ +(EXPIRES|\d{4}-).*$/, ""));
  };
  const before = await leases(first.url);
  expect(before[2]).toBe("    5  NSC-2-0  p2p   172.16.1.2  172.16.1.3  live");
  expect(first.pid).toBe(first.child.pid);
  await kill(first.child);
  expect((await holdfast(["lease", "list"], env)).code).toBe(4);

  // The killed server's log is read as it lies there.
  const verified = await holdfast(["log", "verify", "--replay", "--data-dir", folder.path]);
  expect(verified).toMatchObject({ code: 0, err: "" });

  const second = await serving();
  expect(await leases(second.url)).toEqual(before);
  const newcomer = await request(second.url, "nse", "NSC-3");
  expect(await request(second.url, "nse", "NSC-2")).toEqual(two);
  expect(await request(second.url, "nse", "NSC-1")).toEqual(one);
  expect([...one.src, ...one.dst, ...two.src, ...two.dst]).not.toContain(newcomer.src[0]);

  // The log is read beside the server that writes it.
  const shown = await holdfast(["log", "show", "--subject", "NSC-2", "--json", "--data-dir", folder.path]);
  expect(
    shown.out
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type),
  ).toEqual(["lease-granted", "lease-restored"]);
});

test("a second server on the same log is refused with 6 and says which file is held", async () => {
  await serving();
  const { code, err } = await holdfast(["serve", "--listen", "127.0.0.1:0", "--log-level", "silent", "--data-dir", folder.path]);
  expect(code).toBe(6);
  expect(err).toContain(join(folder.path, "default", "writer.lock.db"));
  expect(err).toContain("Commands that only read, like `holdfast log show`, work meanwhile.");
});

test.each(["SIGTERM", "SIGINT"] as const)("%s stops the server in order, with 0", async (signal) => {
  const { child } = await serving();
  child.kill(signal);
  const { code, err } = await child.ended;
  expect(code).toBe(0);
  expect(err).toContain('"msg":"stopped"');
});

test("a port that is taken is told at once", async () => {
  const { url } = await serving();
  const { code, err } = await holdfast([
    "serve",
    "--listen",
    new URL(url).host,
    "--data-dir",
    join(folder.path, "other"),
    "--log-level",
    "silent",
  ]);
  expect(code).toBe(2);
  expect(err).toContain("another process listens there");
  expect(existsSync(join(folder.path, "other"))).toBe(false);
});

test("a reader that has seen enough ends the command quietly", async () => {
  await writeStory(folder.path);
  const child = start(["log", "export", "--data-dir", folder.path]);
  child.stdout?.destroy();
  expect(await child.ended).toMatchObject({ code: 0, err: "" });
});

test("an interrupted import leaves neither a realm nor a part of one", async () => {
  const file = join(folder.path, "long.jsonl");
  writeFileSync(file, longExport(40_000));
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir);
  const child = start(["log", "import", file, "--data-dir", dataDir]);
  running.push(child);
  // It has begun to write; reading everything back is still to come.
  const watcher = watch(dataDir);
  await once(watcher, "change");
  watcher.close();
  child.kill("SIGINT");
  expect(await child.ended).toEqual({ code: 130, out: "", err: "Error: Interrupted; realm default was not made.\n" });
  expect(readdirSync(dataDir)).toEqual([]);
  expect(await holdfast(["log", "import", file, "--data-dir", dataDir])).toMatchObject({ code: 0 });
  expect(readdirSync(dataDir)).toEqual(["default"]);
});

describe("the demo", () => {
  test("plays the story with real processes, and nobody moves", async () => {
    const { code, out, err } = await holdfast(["demo"], { TMPDIR: folder.path });
    expect([code, err]).toEqual([0, ""]);
    const told = out
      .replace(/rocess \d+/g, "rocess PID")
      .replace(/:\d{4,5}\b/g, ":PORT")
      .replace(/\(\d+(\.\d)? s\)/, "(N s)");
    await expect(told).toMatchFileSnapshot("golden/demo.txt");
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("with --json gives the result as one document", async () => {
    const { code, out, err } = await holdfast(["demo", "--json"], {
      TMPDIR: folder.path,
      HOLDFAST_LISTEN: "0.0.0.0:1",
      HOLDFAST_REALM: "not-this-one",
    });
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      story: {
        ok: true,
        shared: [],
        rows: [
          { client: "NSC-1", mark: "kept" },
          { client: "NSC-2", mark: "kept" },
          { client: "NSC-3", mark: "new" },
        ],
      },
      orders: { tried: 24, kept: 24, restart: "reopened", faults: [] },
    });
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("interrupted by %s leaves no process and no file", async (signal, expected) => {
    const demo = start(["demo"], { TMPDIR: folder.path });
    running.push(demo);
    if (demo.stdout === null) throw new Error("no stdout");
    let pid = 0;
    for await (const line of createInterface({ input: demo.stdout })) {
      pid = Number(/Process (\d+) serves/.exec(line)?.[1] ?? 0);
      if (pid > 0) break;
    }
    expect(alive(pid)).toBe(true);
    demo.kill(signal);
    const { code, err } = await demo.ended;
    expect(code).toBe(expected);
    expect(err).toBe("Error: Interrupted; everything the demo started is gone.\n");
    expect(alive(pid)).toBe(false);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
