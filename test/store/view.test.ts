import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openReadOnly, verifyLog } from "#events/log-view.js";
import { openSqliteStore } from "#events/sqlite-store.js";
import type { EventStore } from "#events/store.js";
import { refused } from "./contract/harness.js";
import { all, body, hex } from "./records.js";
import { scratch, type Scratch } from "./scratch.js";
import { damageFolder, logFolder, REALM } from "./segment-file.js";

describe("a log seen without its writer lock", () => {
  let folder: Scratch;
  let store: EventStore;
  const open = (): Promise<EventStore> => openSqliteStore({ dataDir: folder.path, realm: REALM, ballastBytes: 0 });
  beforeEach(async () => {
    folder = await scratch();
    store = await open();
    for (let batch = 0; batch < 4; batch++) await store.append(batch * 3, body(batch * 3 + 1, 3), 3, 1_000 + batch);
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  it("shows the same while another has it open, and sees what is appended meanwhile", async () => {
    await store.writeSnapshot({ position: 6, stateHash: "ab", coreVersion: 1 }, [new Uint8Array(9)]);
    const view = await openReadOnly(logFolder(folder.path));
    expect([view.kind, view.logId, view.epoch, view.head().position, hex(view.head().digest)]).toEqual(["sqlite", store.logId, 1, 12, hex(store.head().digest)]);
    expect((await all(view.read(5))).map(({ first }) => first)).toEqual([4, 7, 10]);
    expect(await view.positionAt(1_001)).toBe(6);
    expect((await view.snapshots()).map(({ position }) => position)).toEqual([6]);
    expect(Buffer.concat(await all(view.readSnapshot(6))).byteLength).toBe(9);
    await store.append(12, body(13, 1), 1, 2_000);
    expect(view.head().position).toBe(12);
    expect((await view.refresh()).position).toBe(13);
    expect((await all(view.read(13))).length).toBe(1);
    const report = await view.verify();
    expect([report.ok, report.events, report.snapshots]).toEqual([true, 13, [{ position: 6, ok: true }]]);
    await view.close();
    await refused((async () => all(view.read(1)))(), "closed");
    expect((await store.append(13, body(14, 1), 1, 2_000)).head.position).toBe(14);
  });

  it("follows what another writes, until aborted", async () => {
    const view = await openReadOnly(logFolder(folder.path));
    const abort = new AbortController();
    const seen: number[] = [];
    for await (const batch of view.follow(7, abort.signal)) {
      seen.push(batch.first);
      if (batch.first === 10) await store.append(12, body(13, 1), 1, 2_000);
      if (batch.first === 13) abort.abort();
    }
    expect(seen).toEqual([7, 10, 13]);
    await view.close();
  });

  it("is verified while another writes to it", async () => {
    const writing = (async () => {
      for (let position = 12; position < 300; position++) await store.append(position, body(position + 1, 1), 1, 2_000);
    })();
    for (let round = 0; round < 5; round++) expect((await verifyLog(logFolder(folder.path))).ok).toBe(true);
    await writing;
    const heard: number[] = [];
    const report = await verifyLog(logFolder(folder.path), (position) => heard.push(position));
    expect([report.ok, report.head.position, heard.at(-1)]).toEqual([true, 300, 300]);
  });

  it("reports damage instead of failing, and reads up to it", async () => {
    await store.close();
    await damageFolder(folder.path, { kind: "flip-body", first: 7 });
    const report = await verifyLog(logFolder(folder.path));
    expect(report).toMatchObject({ ok: false, batches: 2, events: 6, head: { position: 6 }, fault: { position: 7, reason: "its bytes do not match its CRC" } });
    const view = await openReadOnly(logFolder(folder.path));
    const seen: number[] = [];
    const reading = (async () => {
      for await (const batch of view.read(1)) seen.push(batch.first);
    })();
    expect((await refused(reading, "corrupt")).facts.position).toBe(7);
    expect(seen).toEqual([1, 4]);
    await view.close();
    store = await open();
  });

  it("recomputes digests, so that it shows nothing that was replaced with care", async () => {
    await store.close();
    await damageFolder(folder.path, { kind: "forge-body", first: 4, body: body(4, 3, 64, 9) });
    const view = await openReadOnly(logFolder(folder.path));
    expect((await refused((async () => all(view.read(1)))(), "corrupt")).facts.position).toBe(4);
    await view.close();
    store = await open();
  });

  it("does not take the lock: the log can be opened for writing beside it", async () => {
    await store.close();
    const view = await openReadOnly(logFolder(folder.path));
    store = await open();
    await store.append(12, body(13, 1), 1, 2_000);
    expect((await view.refresh()).position).toBe(13);
    await view.close();
  });

  it("is refused where there is no log, naming the folder", async () => {
    const empty = await mkdtemp(join(folder.path, "empty-"));
    expect((await refused(openReadOnly(empty), "unavailable")).message).toContain(empty);
    await refused(verifyLog(join(folder.path, "nowhere")), "unavailable");
    await mkdir(join(empty, "x"));
    await rm(empty, { recursive: true });
  });
});
