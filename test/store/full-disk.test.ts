import { rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "#events/sqlite-store.js";
import { StoreError, type EventStore } from "#events/store.js";
import { canMount, LoopDisk } from "./faults/loop-disk.js";
import { all, body } from "./records.js";
import { scratch, type Scratch } from "./scratch.js";
import { logFolder, REALM } from "./segment-file.js";

const MIB = 1024 * 1024;
const COUNT = 100;
const SIZE = 500;

// Needs root and loop devices; CI=true does not let it pass without.
describe.skipIf(!canMount)("a disk that fills up", { timeout: 120_000 }, () => {
  let folder: Scratch;
  let disk: LoopDisk;
  beforeEach(async () => {
    folder = await scratch();
    disk = await LoopDisk.make(folder.path, "disk", 40 * MIB);
  });
  afterEach(async () => {
    await disk.unmount();
    await folder.remove();
  });

  const open = (): Promise<EventStore> =>
    openSqliteStore({ dataDir: disk.path, realm: REALM, walLimitBytes: 2 * MIB, ballastBytes: 4 * MIB, lowBytes: 12 * MIB, fullBytes: 5 * MIB, spaceEveryMs: 10 });
  const ballast = (): string => join(logFolder(disk.path), "ballast");
  const append = (store: EventStore): Promise<unknown> => {
    const { position } = store.head();
    return store.append(position, body(position + 1, COUNT, SIZE), COUNT, 1_000);
  };
  async function until(what: () => boolean): Promise<void> {
    while (!what()) await pause(5);
  }

  it("is low, then full, gives up the ballast for what must still be written, and recovers when there is room", async () => {
    const other = join(disk.path, "other");
    await writeFile(other, Buffer.alloc(10 * MIB, 1));
    const store = await open();
    await until(() => existsSync(ballast()));
    expect(store.room().state).toBe("ok");
    const states = new Set<string>();
    let refusal: StoreError | undefined;
    let written = 0;
    let afterBallast = 0;
    while (refusal === undefined) {
      states.add(store.room().state);
      await append(store).then(
        () => {
          written++;
          if (!existsSync(ballast())) afterBallast++;
        },
        (error: unknown) => {
          refusal = error as StoreError;
        },
      );
      await pause(1);
    }
    expect([...states]).toEqual(["ok", "low", "full"]);
    expect(refusal).toBeInstanceOf(StoreError);
    expect(refusal.code).toBe("full");
    expect(store.room().state).toBe("full");
    // Ballast of 4 MiB, and a batch is 50 kB: some dozens of renewals fit.
    expect(afterBallast).toBeGreaterThan(20);
    expect(existsSync(ballast())).toBe(false);
    // Everything is readable, and the refused one is not there.
    expect((await all(store.read(1))).length).toBe(written);
    expect((await store.verify()).ok).toBe(true);
    await expect(append(store)).rejects.toMatchObject({ code: "full" });
    await store.close();

    await expect(open()).rejects.toMatchObject({ code: "full", message: expect.stringContaining("free some") as unknown });
    await rm(other);
    const again = await open();
    expect(again.head().position).toBe(written * COUNT);
    await append(again);
    expect((await again.verify()).ok).toBe(true);
    await again.close();
  });

  it("takes appends again as soon as room is made, and lays the ballast anew", async () => {
    const other = join(disk.path, "other");
    const store = await open();
    await until(() => existsSync(ballast()));
    await append(store);
    await writeFile(other, Buffer.alloc(MIB)).catch(() => undefined);
    // Someone else takes all the room there is.
    for (let n = 0, more = true; more; n++) await writeFile(`${other}-${n}`, Buffer.alloc(MIB, 1)).catch(() => (more = false));
    await until(() => store.room().state === "full");
    let refused = 0;
    while (refused === 0) await append(store).catch((error: unknown) => ((refused += 1), expect(error).toMatchObject({ code: "full" })));
    expect(existsSync(ballast())).toBe(false);
    for (let n = 0; existsSync(`${other}-${n}`); n++) await rm(`${other}-${n}`);
    await append(store);
    await until(() => store.room().state === "ok");
    expect(existsSync(ballast())).toBe(true);
    await append(store);
    expect((await store.verify()).ok).toBe(true);
    await store.close();
  });

  it("is opened with the room of the ballast when there is no other", async () => {
    const store = await open();
    await until(() => existsSync(ballast()));
    await append(store);
    await store.close();
    for (let bytes = MIB; bytes >= 4096; bytes /= 2)
      for (let n = 0, more = true; more; n++) await writeFile(join(disk.path, `other-${bytes}-${n}`), Buffer.alloc(bytes, 1)).catch(() => (more = false));
    const again = await open();
    expect(again.head().position).toBe(COUNT);
    expect(again.room().state).toBe("full");
    expect(existsSync(ballast())).toBe(false);
    await append(again);
    await again.close();
  });

  it("refuses a snapshot it has no room for, and keeps nothing of it", async () => {
    const store = await open();
    await append(store);
    const image = function* (): Generator<Uint8Array> {
      for (let n = 0; n < 64; n++) yield new Uint8Array(MIB).fill(n);
    };
    await expect(store.writeSnapshot({ position: COUNT, stateHash: "ab", coreVersion: 1 }, image())).rejects.toMatchObject({ code: "full" });
    expect(await store.snapshots()).toEqual([]);
    await append(store);
    expect((await store.writeSnapshot({ position: COUNT, stateHash: "ab", coreVersion: 1 }, [new Uint8Array(10)])).bytes).toBe(10);
    await store.close();
  });
});
