import { describe, expect, it } from "vitest";
import { MemoryDisk, openMemoryStore } from "#events/memory-store.js";
import type { Batch } from "#events/store.js";
import { storeContract } from "./contract.js";
import { refused, type Damage } from "./contract/harness.js";
import { all, body, hex } from "./records.js";

function damage(disk: MemoryDisk, how: Damage): void {
  if (how.kind === "flip-snapshot") {
    disk.snapshots.get(how.position)!.image[0]! ^= 1;
    return;
  }
  const index = disk.batches.findIndex(({ first }) => first === how.first);
  const batch = disk.batches[index] as Batch;
  if (how.kind === "remove-batch") disk.batches.splice(index, 1);
  else if (how.kind === "flip-body") batch.body[40]! ^= 1;
  else if (how.kind === "flip-digest") disk.batches[index] = { ...batch, digest: batch.digest.map((byte, at) => (at === 5 ? byte ^ 1 : byte)) };
  else disk.batches[index] = { ...batch, body: how.body };
}

storeContract("memory", async () => {
  const disk = new MemoryDisk();
  await Promise.resolve();
  return {
    open: () => openMemoryStore(disk),
    damage: (how) => damage(disk, how),
    dispose: () => Promise.resolve(),
  };
});

describe("scripted faults of the memory store", () => {
  it.each([true, false])("leave an unknown append there or not (written: %s), and refuse everything until reopened", async (written) => {
    const disk = new MemoryDisk();
    const store = await openMemoryStore(disk);
    await store.append(0, body(1, 1), 1, 1);
    disk.failAppend(2, { kind: "unknown", written });
    await store.append(1, body(2, 1), 1, 1);
    const pending = store.append(2, body(3, 2), 2, 1);
    const behind = store.append(4, body(5, 1), 1, 1);
    await refused(pending, "unknown");
    expect((await refused(behind, "unknown")).message).toContain("reopen");
    await refused(store.append(2, body(3, 1), 1, 1), "unknown");
    await refused(store.verify(), "unknown");
    expect(store.head().position).toBe(2);
    await store.close();
    const again = await openMemoryStore(disk);
    expect(again.head().position).toBe(written ? 4 : 2);
    expect((await again.verify()).ok).toBe(true);
  });

  it.each(["unavailable", "full"] as const)("refuse an append with %s and go on", async (kind) => {
    const disk = new MemoryDisk();
    const store = await openMemoryStore(disk);
    disk.failAppend(1, { kind });
    await refused(store.append(0, body(1, 1), 1, 1), kind);
    expect((await store.append(0, body(1, 1), 1, 1)).head.position).toBe(1);
    expect((await all(store.read(1))).length).toBe(1);
  });

  it("let another writer win, whose batch can then be read", async () => {
    const disk = new MemoryDisk();
    const store = await openMemoryStore(disk);
    await store.append(0, body(1, 1), 1, 1);
    disk.failAppend(1, { kind: "conflict", body: body(2, 2, 64, 9), count: 2 });
    const error = await refused(store.append(1, body(2, 1), 1, 1), "conflict");
    expect(error.facts.actual).toBe(3);
    expect((await all(store.read(2))).map((batch) => hex(batch.body))).toEqual([hex(body(2, 2, 64, 9))]);
    expect((await store.append(3, body(4, 1), 1, 1)).head.position).toBe(4);
  });

  it("hold an answer back, and those behind it, while nothing looks durable before it is answered", async () => {
    const disk = new MemoryDisk();
    const store = await openMemoryStore(disk);
    let release: () => void = () => undefined;
    disk.failAppend(1, { kind: "delay", until: new Promise<void>((resolve) => (release = resolve)) });
    const answers: number[] = [];
    const calls = [0, 1].map((position) => store.append(position, body(position + 1, 1), 1, 1).then(({ head }) => answers.push(head.position)));
    await new Promise((resolve) => setImmediate(resolve));
    expect([answers, store.head().position]).toEqual([[], 0]);
    release();
    await Promise.all(calls);
    expect([answers, store.head().position]).toEqual([[1, 2], 2]);
  });

  it("keep what was written when the process is killed", async () => {
    const disk = new MemoryDisk();
    const store = await openMemoryStore(disk);
    await store.append(0, body(1, 3), 3, 1);
    disk.crash();
    await refused(store.append(3, body(4, 1), 1, 1), "unknown");
    const again = await openMemoryStore(disk);
    expect([again.head().position, again.epoch]).toEqual([3, 2]);
  });
});
