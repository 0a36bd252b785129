import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BODY_BYTES_MAX, checkAppend } from "#events/chain.js";
import type { Command, Envelope } from "#events/command.js";
import { openMemoryStore } from "#events/memory-store.js";
import type { RealmApi } from "#events/realm-api.js";
import { Realm } from "#events/realm.js";
import { readTokens, secretLengthMin } from "#host/config/tokens.js";
import { MomentReads } from "#host/moment.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const doc = readFileSync(`${root}/docs/limits.md`, "utf8");

interface Row {
  readonly limit: string;
  readonly value: number;
  readonly named: readonly { readonly file: string; readonly name: string }[];
  readonly tested: string;
}
const rows: readonly Row[] = [...doc.matchAll(/^\| (.+) \| (\d+) \| (.+) \| (`.+`) \| `(.+)` \|$/gm)].map(([, limit, value, , named, tested]) => ({
  limit: limit!,
  value: Number(value),
  named: [...named!.matchAll(/`(\S+) (\w+)`/g)].map(([, file, name]) => ({ file: file!, name: name! })),
  tested: tested!,
}));

/** The number a constant of a source file is set to; they are products and shifts at most. */
function valueOf(file: string, name: string): number {
  const found = new RegExp(`const ${name}\\b[^=]*= ([\\d_ <*]+);`).exec(readFileSync(`${root}/${file}`, "utf8"));
  expect(found, `${file} has no ${name}; mend docs/limits.md`).not.toBeNull();
  const [shifted, by] = found![1]!.split("<<").map((part) => part.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1));
  return by === undefined ? shifted! : shifted! * 2 ** by;
}

/** Sizes of buffers, ends of number ranges and a pause: what follows from the limits, and nobody meets them. */
const derived = new Set(["pauseMsMax", "ANSWER_MAX", "EVENTS_MAX", "EXACT_MAX", "LEASE_EVENT_MAX", "RECORD_MAX", "SMALL_MAX", "UINT32_MAX", "VIEW_MAX"]);

describe("docs/limits.md", () => {
  it.each(rows.flatMap(({ limit, value, named }) => named.map(({ file, name }) => ({ limit, value, file, name }))))("$limit: $name is $value", ({ value, file, name }) => {
    expect(valueOf(file, name)).toBe(value);
  });

  it("names a test for each", () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter(({ tested }) => !existsSync(`${root}/${tested}`)).map(({ tested }) => tested)).toEqual([]);
  });

  it("has every limit of core, runtime and host", () => {
    const listed = new Set(rows.flatMap(({ named }) => named.map(({ file, name }) => `${file} ${name}`)));
    const sources = ["assembly", "events", "host"].flatMap((folder) =>
      readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
    );
    // What the command line prints at most is a matter of the screen.
    const limits = sources
      .filter((file) => file.endsWith(".ts") && !file.startsWith("host/cli/"))
      .flatMap((file) => [...readFileSync(`${root}/${file}`, "utf8").matchAll(/^(?:export )?const (\w*(?:MAX|Max))\b/gm)].map(([, name]) => ({ file, name: name! })));
    const missing = limits.filter(({ file, name }) => !derived.has(name) && !listed.has(`${file} ${name}`));
    expect(missing, "give it a row with its reason and its test").toEqual([]);
  });
});

describe("limits that have no other test", () => {
  const tokens = (count: number, length = secretLengthMin): unknown =>
    Array.from({ length: count }, (_, i) => ({ name: `t${i}`, role: "reader", token: String(i).padStart(length, "s") }));

  it("256 tokens are taken and one more is refused", () => {
    expect(readTokens(tokens(256)).length).toBe(256);
    expect(() => readTokens(tokens(257))).toThrow(/at most 256/);
  });

  it("a token of 16 characters is taken and a shorter one refused", () => {
    expect(readTokens(tokens(1)).length).toBe(1);
    expect(() => readTokens(tokens(1, secretLengthMin - 1))).toThrow(/16/);
  });

  it("an append of 64 MiB is looked at and a longer one refused by its size", () => {
    expect(() => checkAppend(0, new Uint8Array(BODY_BYTES_MAX), 1, 0)).toThrow(/does not hold 1 records/);
    expect(() => checkAppend(0, new Uint8Array(BODY_BYTES_MAX + 1), 1, 0)).toThrow(/may have 67108864/);
  });

  const envelope = (): Envelope => ({ now: Date.now(), actor: "test", correlation: "" });
  const nothing: Command = { kind: "expire", limit: 1 };

  const opening: Command = { kind: "open-realm", graceSeconds: 0 };

  it("128 commands share an append, the next goes into another", async () => {
    const commands: number[] = [];
    const realm = await Realm.open({ name: "r", store: await openMemoryStore(), metrics: { onCommit: (batch) => commands.push(batch.commands) } });
    commands.length = 0;
    await Promise.all(Array.from({ length: 129 }, () => realm.submit(opening, envelope())));
    expect(commands).toEqual([128, 1]);
    expect((await realm.submit(nothing, envelope())).ok).toBe(true);
    await realm.close();
  });

  it("8 appends are on their way at once, the next waits until one is durable", async () => {
    const durable: (() => void)[] = [];
    let isHeld = false;
    const store = await openMemoryStore();
    const append = store.append.bind(store);
    store.append = async (...batch) => {
      if (isHeld) await new Promise<void>((resolve) => durable.push(resolve));
      return append(...batch);
    };
    const realm = await Realm.open({ name: "r", store });
    isHeld = true;
    const answers = Array.from({ length: 9 * 128 }, () => realm.submit(opening, envelope()));
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(durable.length).toBe(8);
    durable.shift()!();
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(durable.length).toBe(8);
    isHeld = false;
    for (const release of durable) release();
    expect((await Promise.all(answers)).every(({ ok }) => ok)).toBe(true);
    await realm.close();
  });

  it("a page of a filtered list looks through 200000 events and says how far it came", async () => {
    const realm = await Realm.open({ name: "r", store: await openMemoryStore() });
    for (let left = 201_000; left > 0; left -= 1000) await Promise.all(Array.from({ length: 1000 }, () => realm.submit(opening, envelope())));
    const page = await realm.events({ after: 0, limit: 1, types: ["pool-defined"] });
    // It stops between appends, so by at most one append later.
    expect(page.scanned).toBeGreaterThanOrEqual(200_000);
    expect(page.scanned).toBeLessThan(201_000);
    await realm.close();
  });

  it("four reads of the past run, 64 wait, and one more is told to come back", async () => {
    let running = 0;
    const open: (() => void)[] = [];
    const realm = {
      head: () => ({ position: 1 }),
      at: async () => {
        running++;
        await new Promise<void>((resolve) => open.push(resolve));
        return { reader: undefined, release: () => running-- };
      },
    } as unknown as RealmApi;
    const reads = new MomentReads();
    const asked = Array.from({ length: 68 }, () => reads.read(realm, "1", 0, () => "seen"));
    await expect(reads.read(realm, "1", 0, () => "seen")).rejects.toMatchObject({ code: "overloaded" });
    expect(running).toBe(4);
    const answers = Promise.all(asked);
    for (let done = 0; done < 68; ) {
      done += open.length;
      for (const go of open.splice(0)) go();
      await new Promise(setImmediate);
    }
    expect(await answers).toEqual(new Array(68).fill("seen"));
  });
});
