import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { jsonFault, parseJson } from "#host/json.js";
import { Problem } from "#host/problem.js";

function faultOf(text: string): Problem {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${text} parsed`);
}

describe("a body that is not JSON", () => {
  test.each([
    ["", 0],
    ["{", 1],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ["nul", 3],
    ["tru!", 3],
    ["01", 1],
    ["1.", 2],
    ["-", 1],
    ["1e+", 3],
    ['"a\nb"', 2],
    ['"\\x"', 2],
    ['"\\u12g4"', 5],
    ['"open', 5],
    ["{}{", 2],
    ["{a:1}", 1],
    ["abc", 0],
    ["[".repeat(100_000), 100_000],
  ])("%j is refused at offset %d", (text, position) => {
    expect(faultOf(text).facts).toMatchObject({ rule: "json", position });
  });

  test("names line and column as an editor counts them", () => {
    expect(faultOf('{\n  "a": 1,\n  b\n}').facts).toMatchObject({ line: 3, column: 3 });
  });

  test("nothing that parses is found faulty, and what is cut short ends at its end", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, cut) => {
        expect(jsonFault(text)).toBe(text.length);
        const short = text.slice(0, cut % text.length);
        expect(jsonFault(short)).toBe(short.length);
      }),
      { numRuns: 300 },
    );
  });

  test("one changed character is found where it is, or where it first matters", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom("!", "}", "]", ",", ":", '"', "\\", "\n", "x"), (text, at, char) => {
        const index = at % text.length;
        const changed = text.slice(0, index) + char + text.slice(index + 1);
        let parses = true;
        try {
          JSON.parse(changed);
        } catch {
          parses = false;
        }
        if (!parses) expect(jsonFault(changed)).toBeGreaterThanOrEqual(index === 0 ? 0 : Math.min(index, changed.length));
        else expect(jsonFault(changed)).toBe(changed.length);
      }),
      { numRuns: 500 },
    );
  });
});
