import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/**
 * Rules of the tree itself. Each says in its message what to do. Files are those that git tracks or would
 * track, so that a stray file is found before it is committed.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "");
const text = (file: string): string => readFileSync(`${root}/${file}`, "utf8");
const sources = files.filter((file) => /\.(ts|js|go|c)$/.test(file));

function importsOf(file: string): string[] {
  return [...text(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1]!);
}

/** The top-level folder that an import of this file leads to; undefined for packages. */
function folderOf(file: string, imported: string): string | undefined {
  if (imported.startsWith("#")) return imported.slice(1).split("/")[0];
  if (!imported.startsWith(".")) return undefined;
  return new URL(imported, `file:///${file}`).pathname.split("/")[1];
}

describe("the tree", () => {
  it("holds at its top only what a newcomer is told about", () => {
    const known = [
      ".ci", ".editorconfig", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "RATIONALE.md", "README.md", "SECURITY.md",
      "asconfig.json", "assembly", "bench", "docs", "eslint.config.js", "events", "host", "package-lock.json", "package.json", "test",
      "tsconfig.json", "vitest.config.ts",
    ];
    const strangers = [...new Set(files.map((file) => file.split("/")[0]!))].filter((name) => !known.includes(name));
    expect(strangers, "move it into a folder, or name it here and in CONTRIBUTING.md").toEqual([]);
  });

  it.each([
    ["assembly", ["assembly"]],
    ["events", ["events"]],
    ["host", ["host", "events"]],
  ])("%s imports only %j", (folder, allowed) => {
    const wrong = sources
      .filter((file) => file.startsWith(`${folder}/`))
      .flatMap((file) => importsOf(file).map((imported) => ({ file, imported, to: folderOf(file, imported) })))
      .filter(({ to }) => to !== undefined && to !== "package.json" && !allowed.includes(to));
    expect(wrong, "imports go assembly <- events <- host; turn the dependency round").toEqual([]);
  });

  it("keeps the core free of packages", () => {
    const wrong = sources.filter((file) => file.startsWith("assembly/")).flatMap((file) => importsOf(file).filter((name) => !name.startsWith(".")));
    expect(wrong, "the core imports nothing").toEqual([]);
  });

  it("has no file a newcomer would get lost in", () => {
    const long = sources.filter((file) => text(file).split("\n").length > 600);
    expect(long, "split it: one idea a file").toEqual([]);
  });

  it("names files by nouns and verbs of the field", () => {
    const vague = files.filter((file) => /(^|\/)(utils?|helpers?|managers?|common|misc)[./-]/.test(file));
    expect(vague, "say what it is about").toEqual([]);
  });

  it("leaves nothing for later", () => {
    const later = new RegExp(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].map((word) => `\\b${word}\\b`).join("|"));
    expect(sources.filter((file) => later.test(text(file))), "do it, or write down in RATIONALE.md why not").toEqual([]);
    expect(sources.filter((file) => file.startsWith("test/") && /\b(it|describe|test)\.only\(/.test(text(file))), "run them all").toEqual([]);
  });

  it("names no machine it was written on", () => {
    // Somebody's home or work folder; and outside prose also a temporary one, which the system is to be asked for.
    const folders = (names: string): RegExp => new RegExp(`["'\`\\s(=]/(${names})/[A-Za-z0-9]`);
    const written = files.filter((file) => /\.(ts|js|md|json|sh)$|^\.ci\//.test(file));
    const elsewhere = written.filter((file) => folders(file.endsWith(".md") ? "home|Users|root|work" : "home|Users|root|work|tmp").test(text(file)));
    expect(elsewhere, "use a path relative to the file, or os.tmpdir()").toEqual([]);
  });

  it("has no tabs and no blanks at line ends", () => {
    const untidy = files.filter((file) => /\.(ts|js|md|json|c)$|^LICENSE$/.test(file) && /\t|[ \t]+$/m.test(text(file)));
    expect(untidy, "indent with two spaces and trim the ends; .editorconfig tells an editor so").toEqual([]);
  });

  it("names no place packages come from", () => {
    const places = [...text("package-lock.json").matchAll(/"resolved": "(https?:[^"]+)"/g)].map(([, place]) => place);
    expect(places, "drop these lines: `npm install` with omit-lockfile-registry-resolved writes none").toEqual([]);
  });
});

describe("the compiled core", () => {
  /** Sections of a module: id and bytes. */
  function sections(bytes: Uint8Array): { id: number; body: Uint8Array }[] {
    const found = [];
    let at = 8;
    while (at < bytes.length) {
      const id = bytes[at++]!;
      let size = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++]!;
        size |= (byte & 127) << shift;
        if (byte < 128) break;
      }
      found.push({ id, body: bytes.subarray(at, at + size) });
      at += size;
    }
    return found;
  }

  it.each(["release", "debug"])("%s needs nothing from outside", (flavour) => {
    const module = sections(readFileSync(`${root}/dist/core/${flavour}.wasm`));
    expect(module.filter(({ id }) => id === 2), "an import section: some built-in of the compiler crept in").toEqual([]);
  });

  it.each(["release", "debug"])("%s keeps the compiler's data below our own at 8192", (flavour) => {
    const data = sections(readFileSync(`${root}/dist/core/${flavour}.wasm`)).find(({ id }) => id === 11);
    if (data === undefined) return;
    // Active segments: flag 0, i32.const, offset (signed LEB), end, length, bytes.
    let at = 0;
    const leb = (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = data.body[at++]!;
        value |= (byte & 127) << shift;
        if (byte < 128) return value;
      }
    };
    for (let left = leb(); left > 0; left--) {
      expect(leb()).toBe(0);
      expect(data.body[at++]).toBe(0x41);
      const offset = leb();
      at++;
      const length = leb();
      at += length;
      expect(offset + length, "move REALM in assembly/layout.ts up").toBeLessThanOrEqual(8192);
    }
  });
});
