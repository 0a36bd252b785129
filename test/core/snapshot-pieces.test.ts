/**
 * A store gives a snapshot back in pieces of its own size. Records cut in two once stopped the core, so that
 * every snapshot of more than one chunk was set aside and opening replayed the whole log.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Command } from "#events/command.js";
import { Core } from "#events/core.js";
import { rebuild } from "#events/replay.js";
import { openSqliteStore } from "#events/sqlite-store.js";

const now = Date.UTC(2026, 0, 1);
const envelope = { now, actor: "test", correlation: "" };

function request(client: number): Command {
  const name = `client-${client}`;
  return { kind: "request", endpoint: "nse", client: { name, id: `${name}-0` }, connection: name, reselect: false, knownOnly: false, excluded: [], items: [] };
}

const definitions: Command[] = [
  { kind: "open-realm", graceSeconds: 0 },
  {
    kind: "define-pool",
    pool: "pool",
    mode: "pair",
    prefixes: [{ address: { family: 4, value: 0x0a000000 }, length: 8 }],
    reserved: [],
    leaseSeconds: 600,
    graceSeconds: 0,
    cooldownSeconds: 0,
    draining: false,
  },
  { kind: "define-endpoint", endpoint: "nse", chain: [["pool"]], contextPolicy: "replace" },
];

/** A state whose snapshot takes several chunks, and the events that led there. */
function largeCore(): { core: Core; events: Uint8Array; count: number } {
  const core = Core.create();
  const commands = [...definitions, ...Array.from({ length: 20_000 }, (_, client) => request(client))];
  const { events, count, outcomes } = core.submit(commands.map((command) => ({ command, envelope })));
  expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
  core.commit(commands.length);
  return { core, events, count };
}

describe("a snapshot", () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  it.each([1, 7, 4_096, 65_536, 1 << 24])("is restored from pieces of %i bytes", (size) => {
    const core = size === 1 ? Core.create() : largeCore().core;
    if (size === 1) {
      core.submit([...definitions, request(1)].map((command) => ({ command, envelope })));
      core.commit(definitions.length + 1);
    }
    const chunks = core.snapshot();
    if (size > 1) expect(chunks.length).toBeGreaterThan(1);
    const bytes = Buffer.concat(chunks);
    const restored = Core.create();
    for (let at = 0; at < bytes.length; at += size) restored.restoreChunk(bytes.subarray(at, at + size));
    restored.finishRestore();
    expect(restored.hash()).toBe(core.hash());
  });

  it("that ends in the middle of a chunk is refused", () => {
    const bytes = Buffer.concat(largeCore().core.snapshot());
    const restored = Core.create();
    restored.restoreChunk(bytes.subarray(0, bytes.length - 1));
    expect(() => restored.finishRestore()).toThrow("ends before its last record");
  });

  it("of several chunks is used when the embedded store gives it back", async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-snapshot-"));
    folders.push(folder);
    const store = await openSqliteStore({ dataDir: folder, realm: "pieces", ballastBytes: 0 });
    try {
      const { core, events, count } = largeCore();
      await store.append(0, events, count, now);
      await store.writeSnapshot({ position: core.position, stateHash: core.hash(), coreVersion: core.version }, core.snapshotChunks());
      const skipped: string[] = [];
      const rebuilt = await rebuild(store, core.position, { skipped: (_snapshot, reason) => skipped.push(reason) });
      expect(skipped).toEqual([]);
      expect(rebuilt.hash()).toBe(core.hash());
    } finally {
      await store.close();
    }
  });
});
