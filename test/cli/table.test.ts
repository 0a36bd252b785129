import { describe, expect, test } from "vitest";
import { cutMiddle, table } from "#host/cli/table.js";
import { printable } from "#host/cli/terminal.js";
import { screen } from "./screen.js";

const columns = [
  { title: "LEASE", align: "right" },
  { title: "CLIENT", cut: 10 },
  { title: "DST" },
  { title: "SRC" },
  { title: "STATE" },
  { title: "EXPIRES" },
] as const;
const longName = "alpine-952967c2-cd5b-46ef-ae72-b6002fc47089-0";
const v4 = ["7", longName, "172.16.1.254", "172.16.1.255", "live", "2026-11-30 14:02:00"];
const v6 = [
  "8",
  "NSC-2",
  "fd00:1122:3344:5566:7788:99aa:bbcc:ddee",
  "fd00:1122:3344:5566:7788:99aa:bbcc:ddef",
  "live",
  "2026-11-30 14:02:00",
];

describe("tables", () => {
  test("a pipe gets every id whole", () => {
    const text = table(screen().terminal, columns, [v4, v6]);
    for (const cell of [...v4, ...v6]) expect(text).toContain(cell);
    expect(text).not.toContain("…");
  });

  test("a pipe gets names in wide scripts whole and in line", () => {
    const [, wide, narrow] = table(
      screen().terminal,
      [{ title: "C" }, { title: "SRC" }],
      [
        ["東京東京東京", "x"],
        ["abc", "y"],
      ],
    ).split("\n");
    expect(wide).toBe("東京東京東京  x");
    expect(narrow).toBe("abc           y");
  });

  test("a terminal of 80 columns gets lines that fit, with the middle of a long id left out", () => {
    const text = table(screen(80, { NO_COLOR: "1" }).terminal, columns, [v4]);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).toMatch(/alpine-\S*…\S*-0 /);
    expect(text).toContain("172.16.1.254");
  });

  test("addresses are never cut: where a row cannot fit it becomes a block", () => {
    const text = table(screen(80, { NO_COLOR: "1" }).terminal, columns, [v4, v6]);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).toContain("DST      fd00:1122:3344:5566:7788:99aa:bbcc:ddee\n");
    expect(text).toContain(longName);
  });

  test("no line ends in spaces", () => {
    expect(table(screen().terminal, columns, [v4, ["1", "a", "b", "c", "", ""]])).not.toMatch(/ $/m);
  });

  test("a client's name cannot drive the terminal", () => {
    const text = table(
      screen(80, { NO_COLOR: "1" }).terminal,
      [{ title: "CLIENT" }],
      [["\u001b[2Jgone\u009b31m\r\nforged\u202e"]],
    );
    expect(text).not.toMatch(/[\u001b\u009b\r\u202e]/);
    expect(text.split("\n")).toHaveLength(2);
    expect(text).toContain("\\u001b[2Jgone");
  });

  test("names in other scripts pass as they are", () => {
    expect(printable("Zürich-東京")).toBe("Zürich-東京");
  });

  test("an id keeps both ends", () => {
    expect(cutMiddle("abcdefghij", 5)).toBe("ab…ij");
    expect(cutMiddle("abcdefghij", 6)).toBe("abc…ij");
    expect(cutMiddle("abc", 3)).toBe("abc");
    expect(cutMiddle("abcdef", 2)).toBe("ab");
  });
});

describe("colour", () => {
  test("is shown on a terminal", () => {
    expect(screen(80).terminal.style("bold", "x")).toBe("\u001b[1mx\u001b[22m");
  });
  test.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("is not shown with %o", (env) => {
    expect(screen(80, env).terminal.style("bold", "x")).toBe("x");
  });
  test("an empty NO_COLOR does not count", () => {
    expect(screen(80, { NO_COLOR: "" }).terminal.style("bold", "x")).not.toBe("x");
  });
  test("is not shown in a pipe", () => {
    expect(screen().terminal.style("bold", "x")).toBe("x");
  });
});
