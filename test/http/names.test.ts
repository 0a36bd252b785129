import { describe, expect, it } from "vitest";
import { readName } from "#host/names.js";
import { Problem } from "#host/problem.js";

describe("names of pools and endpoints", () => {
  it.each([".", "..", "", "a/b", "a b", "é", "x".repeat(65)])("%j is refused with field and rule", (name) => {
    const attempt = (): string => readName("pool", name, "pool");
    expect(attempt).toThrow(Problem);
    expect(attempt).toThrow(/is no pool name: 1 to 64 letters/);
  });

  it.each(["a", "...", "a.b", ".hidden", "_", "-", "x".repeat(64)])("%j is one", (name) => {
    expect(readName("pool", name, "pool")).toBe(name);
  });
});
