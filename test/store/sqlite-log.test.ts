/** What is special to the log on disk: its files, its lock, and what it refuses to take for a log. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "#events/sqlite-store.js";
import type { EventStore } from "#events/store.js";
import { refused } from "./contract/harness.js";
import { EndlessChild } from "./faults/endless-child.js";
import { all, body, hex } from "./records.js";
import { scratch, type Scratch } from "./scratch.js";
import { logFolder, REALM, segmentPath } from "./segment-file.js";

describe("a log on disk", () => {
  let folder: Scratch;
  const stores: EventStore[] = [];
  const open = async (options: { ballastBytes?: number; walLimitBytes?: number } = {}): Promise<EventStore> => {
    const store = await openSqliteStore({ dataDir: folder.path, realm: REALM, ballastBytes: 0, ...options });
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    folder = await scratch();
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await folder.remove();
  });

  it("is one database file once closed, which any SQLite can read", async () => {
    const store = await open();
    await store.append(0, body(1, 3), 3, 7_000);
    await store.close();
    expect((await readdir(logFolder(folder.path))).sort()).toEqual(["log-0000000000000001.db", "snapshots", "writer.lock.db"]);
    const db = new Database(segmentPath(folder.path), { readonly: true });
    const row = db.prepare("SELECT first, count, at, epoch, format, hex(digest) AS digest FROM batch").get();
    expect(row).toEqual({ first: 1, count: 3, at: 7_000, epoch: 1, format: 1, digest: hex(store.head().digest).toUpperCase() });
    expect([db.pragma("journal_mode", { simple: true }), db.pragma("application_id", { simple: true })]).toEqual(["wal", 0x48464c47]);
    db.close();
  });

  it("makes data directory and realm folder where there are none", async () => {
    const dataDir = join(folder.path, "a", "b");
    const store = await openSqliteStore({ dataDir, realm: "edge-7", ballastBytes: 0 });
    expect(existsSync(join(dataDir, "edge-7", "snapshots"))).toBe(true);
    await store.close();
  });

  it.each(["", ".", "..", "a/b", "x".repeat(65), "über"])("refuses the realm name %j, which could leave the data directory or be no file name", async (realm) => {
    await expect(openSqliteStore({ dataDir: folder.path, realm })).rejects.toThrow(/realm must be 1 to 64 of/);
  });

  it("refuses limits that cannot hold", async () => {
    await expect(open({ walLimitBytes: 1_000 })).rejects.toThrow(/walLimitBytes must be at least 1048576 bytes, not 1000/);
    await expect(open({ walLimitBytes: 4 << 20, ballastBytes: 1 << 20 })).rejects.toThrow(/ballastBytes must be at least 4194304 bytes/);
  });

  it("is locked for another process, and free again when that is killed", async () => {
    const child = new EndlessChild(folder.path, { checkpointEveryMs: 20, appends: 0 });
    await child.lines(3);
    expect((await refused(open(), "locked")).facts.path).toBe(join(logFolder(folder.path), "writer.lock.db"));
    await child.lines(6);
    await child.kill();
    const store = await open();
    expect(store.head().position).toBeGreaterThanOrEqual(child.position);
  });

  it("stops a writer whose lock file was deleted and who was overtaken", async () => {
    const first = await open();
    await first.append(0, body(1, 1), 1, 1);
    // What an operator may do to a lock file that is in the way. The second comes from another process: in this one
    // the deleted file's lock is still known.
    await rm(join(logFolder(folder.path), "writer.lock.db"));
    const second = new EndlessChild(folder.path, { checkpointEveryMs: 20, appends: 0 });
    await second.lines(4);
    const error = await refused(first.append(1, body(2, 1), 1, 1), "unknown");
    expect(error.message).toContain("another writer opened the log after this one");
    await second.kill();
    await first.close();
    const third = await open();
    expect([third.epoch, (await third.verify()).ok]).toEqual([3, true]);
  });

  it("waits for somebody who writes to its tables by hand, refuses for the time being, and goes on", async () => {
    const store = await open();
    const hand = new Database(segmentPath(folder.path));
    hand.exec("BEGIN IMMEDIATE");
    const error = await refused(store.append(0, body(1, 1), 1, 1), "unavailable");
    expect(error.message).toMatch(/another connection keeps .* locked; nothing was written/);
    hand.exec("ROLLBACK");
    hand.close();
    expect((await store.append(0, body(1, 1), 1, 1)).head.position).toBe(1);
  });

  it("is not opened for writing past a reader who holds on to an old state, and says so", async () => {
    const child = new EndlessChild(folder.path, { checkpointEveryMs: 1e9, appends: 0 });
    await child.lines(5);
    const reader = new Database(segmentPath(folder.path), { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM batch").get();
    await child.lines(9);
    await child.kill();
    expect((await refused(open(), "unavailable")).message).toMatch(/a reader has kept a transaction open on .* for too long; end it/);
    reader.exec("COMMIT");
    reader.close();
    expect((await open()).head().position).toBeGreaterThanOrEqual(child.position);
  });

  it("does not begin anew where a log was: its file gone, with snapshots left", async () => {
    const store = await open();
    await store.append(0, body(1, 1), 1, 1);
    await store.writeSnapshot({ position: 1, stateHash: "ab", coreVersion: 1 }, [new Uint8Array(3)]);
    await store.close();
    await rename(segmentPath(folder.path), join(folder.path, "elsewhere.db"));
    const error = await refused(open(), "corrupt");
    expect(error.message).toMatch(/holds snapshots but no log.*restore it, or move the snapshots away/);
    await rename(join(folder.path, "elsewhere.db"), segmentPath(folder.path));
    expect((await open()).head().position).toBe(1);
  });

  it.each([
    ["an empty file", () => Buffer.alloc(0)],
    ["another kind of file", () => Buffer.from("position,client\n1,nsc\n".repeat(500))],
  ])("does not take %s for a log", async (_, content) => {
    await mkdir(logFolder(folder.path), { recursive: true });
    await writeFile(segmentPath(folder.path), content());
    const error = await refused(open(), "corrupt");
    expect(error.facts.position).toBe(1);
    expect(error.message).toContain(segmentPath(folder.path));
    expect(await readFile(segmentPath(folder.path))).toEqual(content());
  });

  it("does not take another SQLite database for a log, and leaves it as it is", async () => {
    await mkdir(logFolder(folder.path), { recursive: true });
    const db = new Database(segmentPath(folder.path));
    db.exec("CREATE TABLE lease(address TEXT)");
    db.close();
    const before = await readFile(segmentPath(folder.path));
    expect((await refused(open(), "corrupt")).message).toContain("its application id is 0");
    expect(await readFile(segmentPath(folder.path))).toEqual(before);
  });

  it("begins again where the making of a log was cut off", async () => {
    await mkdir(logFolder(folder.path), { recursive: true });
    await writeFile(`${segmentPath(folder.path)}.draft`, "half a database");
    await writeFile(`${segmentPath(folder.path)}.draft-wal`, "and its WAL");
    const store = await open();
    await store.append(0, body(1, 1), 1, 1);
    expect((await readdir(logFolder(folder.path))).filter((name) => name.includes("draft"))).toEqual([]);
  });

  it("lays its ballast in the background, and only as far as it has come when it is closed", async () => {
    const store = await open({ walLimitBytes: 1 << 20, ballastBytes: 3 << 20 });
    await store.close();
    const files = await readdir(logFolder(folder.path));
    expect(files.filter((name) => name.includes("draft"))).toEqual([]);
  });

  it("keeps the WAL near its limit however fast it is written", async () => {
    const store = await open({ walLimitBytes: 1 << 20 });
    let position = 0;
    let largest = 0;
    for (let round = 0; round < 40; round++) {
      const calls = Array.from({ length: 4 }, () => {
        const call = store.append(position, body(position + 1, 100, 1_000), 100, 1);
        position += 100;
        return call;
      });
      await Promise.all(calls);
      const db = new Database(segmentPath(folder.path), { readonly: true });
      largest = Math.max(largest, (db.prepare("PRAGMA wal_checkpoint(NOOP)").get() as { log: number }).log * 4_096);
      db.close();
    }
    // 16 MB were written. One group and what comes until the next look may stand above the limit.
    expect(largest).toBeLessThan(6 << 20);
    expect((await all(store.read(1))).length).toBe(160);
  });

  it("does not use a snapshot of what the log was before it was restored from a backup", async () => {
    const store = await open();
    await store.append(0, body(1, 2), 2, 1);
    await store.close();
    await cp(segmentPath(folder.path), join(folder.path, "backup.db"));
    const longer = await open();
    await longer.append(2, body(3, 2), 2, 2);
    await longer.writeSnapshot({ position: 4, stateHash: "aa", coreVersion: 1 }, [new Uint8Array(8)]);
    await longer.close();
    await cp(join(folder.path, "backup.db"), segmentPath(folder.path));
    const restored = await open();
    expect(await restored.snapshots()).toEqual([]);
    expect((await restored.verify()).snapshots).toEqual([{ position: 4, ok: false, reason: "it lies past the head of the log, 2" }]);
    await restored.append(2, body(3, 3, 64, 5), 3, 3);
    expect(await restored.snapshots()).toEqual([]);
    expect((await restored.verify()).snapshots).toEqual([{ position: 4, ok: false, reason: "the log has another history up to its position" }]);
    await refused((async () => all(restored.readSnapshot(4)))(), "corrupt");
  });

  it("does not use a snapshot of another log", async () => {
    const store = await open();
    await store.append(0, body(1, 1), 1, 1);
    await store.writeSnapshot({ position: 1, stateHash: "aa", coreVersion: 1 }, [new Uint8Array(8)]);
    const other = await openSqliteStore({ dataDir: folder.path, realm: "other", ballastBytes: 0 });
    await other.append(0, body(1, 1), 1, 1);
    const name = "0000000000000001.snap";
    await cp(join(logFolder(folder.path), "snapshots", name), join(folder.path, "other", "snapshots", name));
    expect(await other.snapshots()).toEqual([]);
    expect((await other.verify()).snapshots[0]!.reason).toMatch(/it belongs to log .*, this is /);
    await other.close();
  });

  it("passes over a snapshot that a killed process was writing, and removes it at the next opening", async () => {
    const store = await open();
    await store.append(0, body(1, 1), 1, 1);
    await store.close();
    const draft = join(logFolder(folder.path), "snapshots", "0000000000000001.snap.draft");
    await writeFile(draft, "HFSNAP1\n and no more");
    await writeFile(join(logFolder(folder.path), "snapshots", "0000000000000009.snap"), "short");
    const again = await open();
    expect(existsSync(draft)).toBe(false);
    expect(await again.snapshots()).toEqual([]);
    expect((await again.verify()).snapshots).toEqual([{ position: 9, ok: false, reason: "the file has 5 bytes, too few for a snapshot" }]);
  });

  it("lets a program end that forgot to close it", async () => {
    const script = `
      import { openSqliteStore } from "#events/sqlite-store.js";
      const store = await openSqliteStore({ dataDir: ${JSON.stringify(folder.path)}, realm: "r", ballastBytes: 0 });
      const body = Buffer.alloc(24); body.writeUInt32LE(24, 0); body.writeUInt32LE(1, 8);
      await store.append(0, body, 1, 1);
      for await (const batch of store.read(1)) console.log(batch.first);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: join(import.meta.dirname, "../.."), stdio: ["ignore", "pipe", "inherit"] });
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
    expect((await open()).head().position).toBe(1);
  });
});
