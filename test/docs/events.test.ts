import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { encodeHeader } from "#events/chain.js";
import { commandKinds } from "#events/codec/command.js";
import { refusalCodes } from "#events/codec/answer.js";
import { eventTypes } from "#events/codec.js";
import type { Refusal } from "#events/command.js";
import type { Event } from "#events/event.js";
import { encodeSnapshotHeader } from "#events/snapshot-file.js";
import { refusalRule } from "#host/refusal-rules.js";

/** What docs/events.md says of bytes is held against the golden vectors and the code. */
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const doc = read("../../docs/events.md");
const section = (title: string): string => doc.split(/^## /m).find((part) => part.startsWith(`${title}\n`))!;
const blocks = (text: string, language: string): string[] => [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, body]) => body!);
/** Cells of the rows of all tables in a text, headings aside. */
const rows = (text: string): string[][] =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row!.split(" | ").map((cell) => cell.trim())).filter(([first]) => first !== "---");
const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);

interface Vector {
  readonly command: string;
  readonly answered: string;
  readonly events: string;
  readonly answer: { readonly refusal?: Refusal };
  readonly json: readonly Event[];
}
const vectors = JSON.parse(read("../golden/vectors.json")) as Vector[];

function hexOf(dump: string): string {
  return dump.trimEnd().split("\n").map((line) => line.slice(6, 53).replaceAll(" ", "")).join("");
}

describe("docs/events.md", () => {
  it("shows an event as the golden vectors have it, in both spellings", () => {
    const [dump, ...more] = blocks(section("Events"), "hexdump");
    expect(more).toEqual([]);
    const vector = vectors.find(({ events }) => events.startsWith(hexOf(dump!)))!;
    expect(vector.json[0]).toEqual(JSON.parse(blocks(section("Events"), "json")[0]!));
  });

  it("shows a command and its answer as the golden vectors have them", () => {
    const [command, answer] = blocks(section("Answers"), "hexdump").map(hexOf);
    expect(vectors.map(({ command, answered }) => ({ command, answered }))).toContainEqual({ command, answered: answer });
  });

  it("numbers every type, and names the fields of its JSON", () => {
    const table = rows(section("Events")).filter(([, type]) => type!.startsWith("`") && quoted(type!)[0]! in eventTypes);
    expect(Object.fromEntries(table.map(([number, type]) => [quoted(type!)[0], Number(number)]))).toEqual(eventTypes);
    /** What the paragraph that begins so says behind "In JSON:", what a field holds in brackets aside. */
    const shared = (title: string): string[] => {
      const paragraph = section("Events").split("\n\n").find((part) => part.startsWith(`**${title}**`))!;
      return quoted(/In JSON:([^.]*)\./.exec(paragraph)![1]!.replace(/\([^)]*\)/g, ""));
    };
    const events = vectors.flatMap(({ json }) => json);
    for (const [, type, , data] of table) {
      const common = /and the settings/.test(data!) ? shared("Settings") : /^lease\b/.test(data!) ? shared("A lease") : [];
      const event = events.find((event) => event.type === quoted(type!)[0])!;
      expect(Object.keys(event.data).sort(), event.type).toEqual([...common, ...quoted(data!)].sort());
    }
  });

  it("numbers every command and every refusal", () => {
    expect(rows(section("Commands")).filter(([kind]) => /^\d+$/.test(kind!)).map(([kind, command]) => [Number(kind), quoted(command!)[0]])).toEqual(
      commandKinds.map((kind, i) => [i + 1, kind]),
    );
    const codes = [...section("Answers").matchAll(/(\d+)\s`([a-z-]+)`/g)].map(([, number, code]) => [Number(number), code]);
    expect(codes).toEqual(refusalCodes.map((code, i) => [i + 1, code]));
  });

  it("names every rule as the HTTP interface does, with the codes it refuses with", () => {
    const table = rows(section("Answers")).filter(([rule]) => /^\d+$/.test(rule!));
    expect(table.map(([rule, name, , demand]) => [Number(rule), name, demand])).toEqual(
      table.map((_, i) => [i + 1, refusalRule(i + 1).name, refusalRule(i + 1).demand]),
    );
    expect(refusalRule(table.length + 1).name).toMatch(/^core-/);
    for (const { answer } of vectors) {
      if (answer.refusal) expect(quoted(table[answer.refusal.rule - 1]![2]!), `rule ${answer.refusal.rule}`).toContain(answer.refusal.code);
    }
  });

  it("places the fields of a batch's header", () => {
    const header = Buffer.from(encodeHeader({ epoch: 2, first: 3, count: 4, at: 6 }, 5));
    const values = rows(section("Batches and the chain")).filter(([offset]) => /^\d+$/.test(offset!)).map(([offset, size]) => header.readUIntLE(Number(offset), Math.min(Number(size), 6)));
    expect(values).toEqual([Buffer.from("HFB1").readUInt32LE(), 2, 3, 4, 5, 6]);
  });

  it("places the fields of a snapshot file's header", () => {
    const log = "00000000-0000-4000-8000-000000000000";
    const header = Buffer.from(encodeSnapshotHeader({ position: 3, at: 4, bytes: 5, coreVersion: 2, stateHash: "abcd", logId: log, digest: new Uint8Array(32).fill(9) }));
    const table = rows(section("Snapshots")).filter(([offset]) => /^\d+$/.test(offset!) && Number(offset) !== 110).slice(-9);
    const at = (name: string): Buffer => {
      const [offset, size] = table.find(([, , field]) => field!.includes(name))!.map(Number);
      return header.subarray(offset, offset! + size!);
    };
    expect(at("HFSNAP1").toString()).toBe("HFSNAP1\n");
    expect(at("bytes of the header").readUInt32LE()).toBe(header.length);
    expect(header.length).toBe(114);
    expect(at("snapshot version").readUInt32LE()).toBe(2);
    expect(at("position").readUIntLE(0, 6)).toBe(3);
    expect(at("when it was written").readUIntLE(0, 6)).toBe(4);
    expect(at("bytes of the image").readUIntLE(0, 6)).toBe(5);
    expect([...at("digest of the batch")]).toEqual(new Array(32).fill(9));
    expect(at("id of the log").toString()).toBe(log);
    expect(header.subarray(110).toString()).toBe("abcd");
  });
});
