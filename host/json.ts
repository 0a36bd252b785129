/**
 * JSON text to values, with the place of the first fault. The engine's own messages name a position only
 * sometimes and in words that change between versions, so a text that does not parse is scanned again here.
 */
import { invalid } from "./problem.js";

/** Parses `text`; refuses with `invalid`, rule `json`, the offset (characters from 0), line and column. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const offset = jsonFault(text);
    const before = text.slice(0, offset);
    const line = before.split("\n").length;
    const column = offset - before.lastIndexOf("\n");
    const found = offset >= text.length ? "the text ends" : `there is ${JSON.stringify(text.charAt(offset))}`;
    throw invalid("", "json", `The body is not JSON: at line ${line}, column ${column} ${found} where it cannot be.`, {
      position: offset,
      line,
      column,
    });
  }
}

/** Offset of the first character that no JSON text could have there; `text.length` if it ends too early. */
export function jsonFault(text: string): number {
  // A stack of open brackets instead of recursion: a hostile body must not overflow ours.
  const open: string[] = [];
  let at = 0;
  let want = "value" as "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma" | "end";
  const space = (): void => {
    while (at < text.length && " \t\n\r".includes(text.charAt(at))) at++;
  };
  const after = (): void => {
    want = open.length === 0 ? "end" : "comma";
  };
  for (;;) {
    space();
    if (at >= text.length) return text.length;
    const char = text.charAt(at);
    if (want === "end") return at;
    if (want === "colon") {
      if (char !== ":") return at;
      at++;
      want = "value";
    } else if (want === "comma") {
      const bracket = open[open.length - 1];
      if (char === ",") {
        at++;
        want = bracket === "{" ? "key" : "value";
      } else if (char === (bracket === "{" ? "}" : "]")) {
        at++;
        open.pop();
        after();
      } else return at;
    } else if (want === "key" || want === "key-or-end") {
      if (char === "}" && want === "key-or-end") {
        at++;
        open.pop();
        after();
        continue;
      }
      if (char !== '"') return at;
      const end = stringEnd(text, at);
      if (end.fault !== undefined) return end.fault;
      at = end.next;
      want = "colon";
    } else if (char === "]" && want === "value-or-end") {
      at++;
      open.pop();
      after();
    } else if (char === "{" || char === "[") {
      at++;
      open.push(char);
      want = char === "{" ? "key-or-end" : "value-or-end";
    } else if (char === '"') {
      const end = stringEnd(text, at);
      if (end.fault !== undefined) return end.fault;
      at = end.next;
      after();
    } else {
      const end = literalEnd(text, at);
      if (end.fault !== undefined) return end.fault;
      at = end.next;
      after();
    }
  }
}

type End = { readonly next: number; readonly fault?: undefined } | { readonly fault: number };

function stringEnd(text: string, start: number): End {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) return { next: at + 1 };
    if (char < 0x20) return { fault: at };
    if (char !== 0x5c) continue;
    at++;
    if (at >= text.length) break;
    const escape = text.charAt(at);
    if (escape === "u") {
      for (let digit = 0; digit < 4; digit++) {
        at++;
        if (at >= text.length) return { fault: text.length };
        if (!/[0-9a-fA-F]/.test(text.charAt(at))) return { fault: at };
      }
    } else if (!'"\\/bfnrt'.includes(escape)) return { fault: at };
  }
  return { fault: text.length };
}

function literalEnd(text: string, start: number): End {
  for (const word of ["true", "false", "null"]) {
    if (text.charAt(start) !== word.charAt(0)) continue;
    for (let index = 1; index < word.length; index++) {
      if (text.charAt(start + index) !== word.charAt(index)) return { fault: Math.min(start + index, text.length) };
    }
    return { next: start + word.length };
  }
  let at = start;
  const digits = (): boolean => {
    const first = at;
    while (at < text.length && text.charAt(at) >= "0" && text.charAt(at) <= "9") at++;
    return at > first;
  };
  if (text.charAt(at) === "-") at++;
  if (text.charAt(at) === "0") at++;
  else if (!digits()) return { fault: at };
  if (text.charAt(at) === ".") {
    at++;
    if (!digits()) return { fault: at };
  }
  if (text.charAt(at) === "e" || text.charAt(at) === "E") {
    at++;
    if (text.charAt(at) === "+" || text.charAt(at) === "-") at++;
    if (!digits()) return { fault: at };
  }
  return { next: at };
}
