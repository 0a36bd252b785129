import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeEvents, eventTypes } from "#events/codec.js";

const doc = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");
const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(doc)![1]!;

describe("docs/events.md", () => {
  it("shows an event whose bytes and JSON are the same event", () => {
    const bytes = block("hexdump")
      .trimEnd()
      .split("\n")
      .flatMap((line) => line.slice(6, 53).trim().split(" "))
      .map((pair) => Number.parseInt(pair, 16));
    expect(decodeEvents(Uint8Array.from(bytes))).toEqual([JSON.parse(block("json"))]);
  });

  it("numbers every type as the records do", () => {
    const table = [...doc.matchAll(/^\| (\d+) \| `([a-z-]+)` \|/gm)].map(([, number, type]) => [type!, Number(number)] as const);
    for (const [type, number] of Object.entries(eventTypes)) expect(table).toContainEqual([type, number]);
  });
});
