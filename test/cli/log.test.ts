/** The log without a server: reading it, proving it, carrying it elsewhere. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeEvents } from "#events/codec.js";
import type { Event } from "#events/event.js";
import { openSqliteStore } from "#events/sqlite-store.js";
import { run } from "#host/cli/run.js";
import { RealmOnDisk, startOfTime, temporaryFolder, writeStory } from "./realm-on-disk.js";
import { screen, type Screen } from "./screen.js";

const story = temporaryFolder();
let storyHash = "";
let scratch = temporaryFolder();
scratch.remove();

beforeAll(async () => {
  storyHash = await writeStory(story.path);
});
afterAll(() => story.remove());
beforeEach(() => {
  scratch = temporaryFolder();
});
afterEach(() => scratch.remove());

async function holdfast(args: readonly string[], shown: Screen = screen()): Promise<{ code: number; out: string; err: string }> {
  return { code: await run(["log", ...args], shown.terminal), out: shown.out(), err: shown.err() };
}

/** The same with `--data-dir` of the story. */
function ofStory(args: string, shown?: Screen): ReturnType<typeof holdfast> {
  return holdfast([...args.split(" "), "--data-dir", story.path], shown);
}

/** Lines of JSON; the flags as one text. */
async function events(args: string): Promise<{ position: number; type: string }[]> {
  const { code, out } = await ofStory(`show ${args} --json`);
  expect(code).toBe(0);
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { position: number; type: string });
}

const anyHash = (text: string): string => text.replace(/\b[0-9a-f]{32}([0-9a-f]{32})?\b/g, "HASH");

describe("log show", () => {
  test("looks as written down, in a pipe and on a terminal", async () => {
    const piped = await ofStory("show");
    const watched = await ofStory("show", screen(80, { NO_COLOR: "1" }));
    expect(piped.err).toBe("");
    for (const line of watched.out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    await expect(`$ holdfast log show | cat\n${piped.out}\n$ holdfast log show\n${watched.out}`).toMatchFileSnapshot(
      "golden/log-show.txt",
    );
  });

  test("filters by type and by what an event is about", async () => {
    expect((await events("--type lease-granted,lease-moved")).map(({ position }) => position)).toEqual([4, 5, 9, 10]);
    expect((await events("--subject NSC-2")).map(({ type }) => type)).toEqual([
      "lease-granted",
      "lease-released",
      "lease-granted",
    ]);
    expect((await events("--subject 172.16.1.1 --type lease-moved")).map(({ position }) => position)).toEqual([9]);
    expect((await events("--subject p2p --limit 1")).map(({ position }) => position)).toEqual([2]);
  });

  test("pages forward, and shows the newest", async () => {
    const first = await ofStory("show --limit 4");
    expect(first.err).toBe("There are more: go on with --after 4, or raise --limit.\n");
    expect((await events("--after 8")).map(({ position }) => position)).toEqual([9, 10]);
    expect((await events("--limit 2 --last")).map(({ position }) => position)).toEqual([9, 10]);
    expect((await events("--limit 1 --last --type pool-defined")).map(({ position }) => position)).toEqual([2]);
    expect(await ofStory("show --after 10")).toEqual({
      code: 0,
      out: "",
      err: "No event matches; the log ends at position 10.\n",
    });
    expect((await ofStory("show --limit 10")).err).toBe("");
  });
});

describe("log at", () => {
  test("looks as written down", async () => {
    const shown: string[] = [];
    for (const args of ["at 5", "at 2026-11-30T14:00:03Z", "at 10 --ended", "at 0"]) {
      const { code, out, err } = await ofStory(args);
      expect(code).toBe(0);
      shown.push(`$ holdfast log ${args}\n${out}${err}`);
    }
    await expect(anyHash(shown.join("\n"))).toMatchFileSnapshot("golden/log-at.txt");
  });

  test("the state behind the last event has the hash of the live state", async () => {
    const { out } = await ofStory("at 10 --json");
    expect(JSON.parse(out)).toMatchObject({
      position: 10,
      stateHash: storyHash,
      pools: [{ pool: "p2p" }],
      endpoints: [{ endpoint: "nse" }],
    });
  });

  test("says who held an address", async () => {
    const holders = async (moment: string): Promise<unknown> =>
      (
        JSON.parse((await ofStory(`at ${moment} --address 172.16.1.3 --json`)).out) as { leases: { client: { name: string } }[] }
      ).leases.map(({ client }) => client.name);
    expect(await holders("5")).toEqual(["NSC-2"]);
    expect(await holders("2026-11-30T14:00:07Z")).toEqual([]);
  });

  test("refuses a moment that is not there yet", async () => {
    expect(await ofStory("at 11")).toEqual({
      code: 2,
      out: "",
      err: "Error: Position 11 is above the head of the log, which is 10.\n",
    });
    expect((await ofStory("at 2999-01-01T00:00:00Z")).code).toBe(2);
  });
});

describe("log verify", () => {
  const copy = (): string => {
    cpSync(story.path, scratch.path, { recursive: true });
    return join(scratch.path, "default");
  };
  const change = (folder: string, sql: string): void => {
    const name = readdirSync(folder).find((file) => /^log-.*\.db$/.test(file));
    const db = new Database(join(folder, name ?? ""));
    db.exec(sql);
    db.close();
  };
  const verify = (args = ""): ReturnType<typeof holdfast> =>
    holdfast(["verify", "--data-dir", scratch.path, ...args.split(" ").filter((arg) => arg !== "")]);

  test("of a good log shows the head to keep, and the state hash with --replay", async () => {
    const plain = await ofStory("verify");
    expect(plain.code).toBe(0);
    const replayed = await ofStory("verify --replay");
    expect(replayed.out).toContain(storyHash);
    await expect(
      anyHash(`$ holdfast log verify\n${plain.out}\n$ holdfast log verify --replay\n${replayed.out}`),
    ).toMatchFileSnapshot("golden/log-verify.txt");
    const head = /head +(\S+)/.exec(plain.out)?.[1] ?? "";
    expect((await ofStory(`verify --head ${head}`)).code).toBe(0);
  });

  test.each([5, 9])("names the first bad position (%i) and ends with 5 when a byte was changed", async (position) => {
    change(
      copy(),
      `UPDATE batch SET body = CAST(substr(body, 1, 30) || x'ff' || substr(body, 32) AS BLOB) WHERE first = ${position}`,
    );
    const { code, out, err } = await verify();
    expect(code).toBe(5);
    expect(err).toContain(`The log of realm default is bad at position ${position}: `);
    expect(out).toContain(`bad at position ${position}`);
    expect(JSON.parse((await verify("--json")).out)).toMatchObject({ ok: false, fault: { position }, events: position - 1 });
  });

  test("a batch that was taken out is missed", async () => {
    change(copy(), "DELETE FROM batch WHERE first = 6");
    const { code, err } = await verify();
    expect(code).toBe(5);
    expect(err).toContain("bad at position 6: ");
  });

  test("a log that was cut off behind a kept head is good by itself and bad beside the head", async () => {
    const head = (JSON.parse((await ofStory("verify --json")).out) as { head: { position: number; digest: string } }).head;
    change(copy(), "DELETE FROM batch WHERE first = 10");
    expect((await verify()).code).toBe(0);
    const { code, err } = await verify(`--head ${head.position}:${head.digest}`);
    expect(code).toBe(5);
    expect(err).toContain("bad at position 10: the log ends at 9, and a head of 10 was kept");
  });

  test("a log that was written anew has another digest than the kept head", async () => {
    copy();
    const { code, err } = await verify(`--head 10:${"ab".repeat(32)}`);
    expect(code).toBe(5);
    expect(err).toMatch(/bad at position 10: its digest is [0-9a-f]{64}, not the (ab){32} that was kept/);
  });

  test("intact bytes that tell an impossible story are found by --replay, at their position", async () => {
    const header = (position: number): object => ({
      position,
      time: new Date(startOfTime).toISOString(),
      version: 1,
      actor: "",
      correlation: "",
      causation: 0,
    });
    const lease = (id: number, client: string, src: string): object => ({
      ...header(id),
      type: "lease-granted",
      data: {
        lease: id,
        client: { name: client, id: client },
        connection: client,
        endpoint: "nse",
        pool: "p2p",
        dst: "10.0.0.0",
        src,
        expiresAt: new Date(startOfTime).toISOString(),
        cause: "new",
        excluded: 0,
      },
    });
    const told = [
      {
        ...header(1),
        type: "pool-defined",
        data: {
          pool: "p2p",
          mode: "pair",
          prefixes: ["10.0.0.0/24"],
          reserved: [],
          leaseSeconds: 60,
          graceSeconds: 0,
          cooldownSeconds: 0,
          draining: false,
        },
      },
      { ...header(2), type: "endpoint-defined", data: { endpoint: "nse", chain: [["p2p"]], contextPolicy: "replace" } },
      lease(3, "NSC-1", "10.0.0.1"),
      lease(4, "NSC-2", "10.0.0.2"),
      { ...header(5), type: "endpoint-retired", data: { endpoint: "nse" } },
    ] as Event[];
    const store = await openSqliteStore({ dataDir: scratch.path, realm: "default", ballastBytes: 0 });
    await store.append(0, encodeEvents(told), told.length, startOfTime);
    await store.close();
    expect((await verify()).code).toBe(0);
    const { code, err } = await verify("--replay");
    expect(code).toBe(5);
    expect(err).toContain("The log of realm default is bad at position 4: the event does not follow from those before it.");
    expect((await holdfast(["export", "--data-dir", scratch.path, "--output", join(scratch.path, "out.jsonl")])).code).toBe(5);
  });

  test("a file that is no log any more ends with 5", async () => {
    const folder = copy();
    for (const name of readdirSync(folder))
      if (name.startsWith("log-")) writeFileSync(join(folder, name), Buffer.alloc(8192, 0x2a));
    const { code, err } = await verify();
    expect(code).toBe(5);
    expect(err).toContain("The log of realm default is bad at position 1: ");
  });

  test("a bad snapshot is told apart from a bad log", async () => {
    const realm = await RealmOnDisk.open(scratch.path);
    await realm.snapshot();
    await realm.close();
    expect((await verify("--replay")).code).toBe(0);
    const snapshots = join(scratch.path, "default", "snapshots");
    const [name = ""] = readdirSync(snapshots);
    const bytes = readFileSync(join(snapshots, name));
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    writeFileSync(join(snapshots, name), bytes);
    const { code, err, out } = await verify();
    expect(code).toBe(1);
    expect(err).toContain("The log is right, but its snapshot at position 1 is not: ");
    expect(out).toMatch(/^log +good$/m);
  });
});

describe("export and import", () => {
  const exported = async (dataDir: string, realm = "default"): Promise<string> => {
    const { code, out, err } = await holdfast(["export", "--data-dir", dataDir, "--realm", realm]);
    expect([code, err]).toEqual([0, ""]);
    return out;
  };
  const imported = (text: string): ReturnType<typeof holdfast> => {
    const file = join(scratch.path, "export.jsonl");
    writeFileSync(file, text);
    return holdfast(["import", file, "--data-dir", scratch.path, "--realm", "copy"]);
  };
  const nothingWritten = (): boolean => !existsSync(join(scratch.path, "copy"));

  test("a log comes back with the same events and the same state hash", async () => {
    const text = await exported(story.path);
    const { code, err } = await imported(text);
    expect(err).toBe(`10 events are in realm copy in ${scratch.path}. State hash ${storyHash}, as exported.\n`);
    expect(code).toBe(0);
    const again = await exported(scratch.path, "copy");
    const lines = (whole: string): string[] => whole.trimEnd().split("\n");
    expect(lines(again).slice(0, -1)).toEqual(lines(text).slice(0, -1));
    expect(lines(text)).toHaveLength(11);
    const at = async (dir: string, realm: string): Promise<unknown> =>
      JSON.parse((await holdfast(["at", "2026-11-30T14:00:05Z", "--json", "--data-dir", dir, "--realm", realm])).out) as unknown;
    expect(await at(scratch.path, "copy")).toEqual(await at(story.path, "default"));
    expect((await holdfast(["verify", "--replay", "--data-dir", scratch.path, "--realm", "copy"])).code).toBe(0);
  });

  test("a realm goes on where the import ended", async () => {
    await imported(await exported(story.path));
    const realm = await RealmOnDisk.open(scratch.path, "copy", Date.parse("2026-11-30T14:00:20Z"));
    await realm.request("NSC-2");
    await realm.close();
    const { out } = await holdfast(["show", "--last", "--limit", "1", "--json", "--data-dir", scratch.path, "--realm", "copy"]);
    expect(JSON.parse(out)).toMatchObject({ position: 12, type: "lease-restored", data: { client: { name: "NSC-2" } } });
  });

  test("with --output the file appears when it is whole, and is never overwritten", async () => {
    const file = join(scratch.path, "story.jsonl");
    const { code, out, err } = await ofStory(`export --output ${file}`);
    expect([code, out]).toEqual([0, ""]);
    expect(err).toBe(`10 events of realm default are in ${file}. State hash ${storyHash}.\n`);
    expect(readFileSync(file, "utf8")).toBe(await exported(story.path));
    expect(readdirSync(scratch.path)).toEqual(["story.jsonl"]);
    const again = await ofStory(`export --output ${file} --json`);
    expect(again.code).toBe(2);
    expect(JSON.parse(again.err)).toMatchObject({ error: { code: "exists" } });
  });

  test("an export of a damaged log leaves no file", async () => {
    cpSync(story.path, join(scratch.path, "d"), { recursive: true });
    const folder = join(scratch.path, "d", "default");
    const db = new Database(join(folder, readdirSync(folder).find((file) => /^log-.*\.db$/.test(file)) ?? ""));
    db.exec("UPDATE batch SET body = CAST(substr(body, 1, 30) || x'ff' || substr(body, 32) AS BLOB) WHERE first = 8");
    db.close();
    const { code, err } = await holdfast([
      "export",
      "--data-dir",
      join(scratch.path, "d"),
      "--output",
      join(scratch.path, "out.jsonl"),
    ]);
    expect(code).toBe(5);
    expect(err).toContain("damaged at position 8");
    expect(readdirSync(scratch.path)).toEqual(["d"]);
  });

  test("an import into a log that has events is refused", async () => {
    const text = await exported(story.path);
    await imported(text);
    const { code, err } = await imported(text);
    expect(code).toBe(3);
    expect(err).toContain(
      `Refused: Realm copy in ${scratch.path} has a log of 10 events already; an import goes into an empty one.`,
    );
  });

  test("a folder that holds something else is left alone", async () => {
    mkdirSync(join(scratch.path, "copy"));
    writeFileSync(join(scratch.path, "copy", "thesis.txt"), "years of work");
    const { code, err } = await imported(await exported(story.path));
    expect(code).toBe(3);
    expect(err).toContain("holds files, but no log");
    expect(readdirSync(join(scratch.path, "copy"))).toEqual(["thesis.txt"]);
  });

  test("an empty realm is imported into", async () => {
    const empty = await exportedLines([]);
    expect((await imported(empty)).code).toBe(0);
    expect((await imported(await exported(story.path))).code).toBe(0);
  });

  describe("what is not a whole export is refused with 5 and nothing is written", () => {
    const lines = async (): Promise<string[]> => (await exported(story.path)).trimEnd().split("\n");
    const cases: Record<string, { change: (given: string[]) => string[] | Promise<string[]>; why: string }> = {
      "the last line is missing": {
        change: (given) => given.slice(0, -1),
        why: "the last line, which says what was exported, is missing",
      },
      "a line is missing": { change: (given) => given.toSpliced(3, 1), why: "line 4: position 4 belongs there, not 5" },
      "it is cut off in a line": {
        change: (given) => [...given.slice(0, 4), (given[4] ?? "").slice(0, 20)],
        why: "line 5: it is not JSON",
      },
      "a name was changed": {
        change: (given) => given.map((line, index) => (index === 4 ? line.replaceAll("NSC-2", "NSC-9") : line)),
        why: "its lines are not those that were exported",
      },
      "something follows": {
        change: (given) => [...given, given[0] ?? ""],
        why: "line 12: something stands behind the last line",
      },
      "an event is unknown": {
        change: (given) => given.map((line, index) => (index === 4 ? line.replace("lease-granted", "lease-dreamt") : line)),
        why: `line 5: "lease-dreamt" is no event type`,
      },
      "an address is none": {
        change: (given) => given.map((line, index) => (index === 4 ? line.replace("172.16.1.3", "172.16.1.333") : line)),
        why: `"172.16.1.333" is no address`,
      },
      "an event does not follow": {
        change: async (given) =>
          (
            await exportedLines(
              given
                .slice(0, -1)
                .map((line, index) => (index === 4 ? line.replace(`"src":"172.16.1.3"`, `"src":"172.16.1.1"`) : line)),
            )
          )
            .trimEnd()
            .split("\n"),
        why: "line 5: the event does not follow from those before it",
      },
      "the state is another": {
        change: (given) =>
          given.map((line, index) =>
            index === 10 ? line.replace(/"stateHash":"[0-9a-f]+"/, `"stateHash":"${"0".repeat(32)}"`) : line,
          ),
        why: "its events lead to state",
      },
    };
    test.each(Object.entries(cases))("%s", async (_, { change, why }) => {
      const { code, err } = await imported(`${(await change(await lines())).join("\n")}\n`);
      expect(err).toContain(why);
      expect(err).toContain("Nothing was written.");
      expect(code).toBe(5);
      expect(nothingWritten()).toBe(true);
    });
  });

  test("a file that is not there is a wrong command line", async () => {
    const { code, err } = await holdfast(["import", join(scratch.path, "nothing"), "--data-dir", scratch.path]);
    expect(code).toBe(2);
    expect(err).toContain("cannot be imported");
  });

  /** Lines with a last line that fits them, as a forger who knows the form would write it. */
  async function exportedLines(lines: readonly string[]): Promise<string> {
    const given = (await exported(story.path)).trimEnd().split("\n").at(-1) ?? "";
    const { head } = JSON.parse(given) as { head: Record<string, unknown> };
    const text = lines.map((line) => `${line}\n`).join("");
    const emptyHash = (JSON.parse((await ofStory("at 0 --json")).out) as { stateHash: string }).stateHash;
    const fitting = {
      ...head,
      position: lines.length,
      linesSha256: createHash("sha256").update(text).digest("hex"),
      ...(lines.length === 0 ? { stateHash: emptyHash } : {}),
    };
    return `${text}${JSON.stringify({ head: fitting })}\n`;
  }
});

describe("beside a running server", () => {
  test("the log is read while another writes to it, and nothing of it changes", async () => {
    const realm = await RealmOnDisk.open(scratch.path);
    try {
      const place = ["--data-dir", scratch.path];
      for (const args of [["show"], ["at", "1"], ["verify", "--replay"], ["export"]])
        expect((await holdfast([...args, ...place])).code).toBe(0);
      const file = join(scratch.path, "e.jsonl");
      writeFileSync(file, (await holdfast(["export", "--data-dir", story.path])).out);
      // The log has one event already, so it is refused before it would be found locked.
      expect((await holdfast(["import", file, ...place])).code).toBe(3);
      await realm.do({
        kind: "define-pool",
        pool: "late",
        mode: "pair",
        prefixes: [{ address: { family: 4, value: 0x0a000000 }, length: 24 }],
        reserved: [],
        leaseSeconds: 60,
        graceSeconds: 0,
        cooldownSeconds: 0,
        draining: false,
      });
      expect((await holdfast(["show", "--last", "--limit", "1", ...place])).out).toContain("late: pair 10.0.0.0/24");
    } finally {
      await realm.close();
    }
  });

  test("reading leaves the files of a closed log as they are", async () => {
    cpSync(story.path, scratch.path, { recursive: true });
    const folder = join(scratch.path, "default");
    const digests = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(folder)
          // SQLite's index of the WAL is made by readers too; it holds nothing of the log.
          .filter((name) => /^log-.*\.db(-wal)?$/.test(name))
          .map((name) => [name, readFileSync(join(folder, name)).toString("base64")])
          .filter(([, bytes]) => bytes !== ""),
      );
    const before = digests();
    for (const args of [["show"], ["at", "5"], ["verify", "--replay"], ["export"]])
      await holdfast([...args, "--data-dir", scratch.path]);
    expect(digests()).toEqual(before);
  });

  test("where there is no log nothing is made", async () => {
    const { code, err } = await holdfast(["show", "--data-dir", join(scratch.path, "nothing"), "--realm", "rack-7"]);
    expect(code).toBe(2);
    expect(err).toBe(
      `Error: There is no log of realm rack-7 in ${join(scratch.path, "nothing")}.\nName the directory with --data-dir and the realm with --realm, as the server was started with.\n`,
    );
    expect(readdirSync(scratch.path)).toEqual([]);
  });
});
