/** Help texts are read by people and copied into runbooks: each change to one shows up here. */
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { buildProgram } from "#host/cli/program.js";
import { run } from "#host/cli/run.js";
import { screen } from "./screen.js";

function everyCommand(command: Command, path: readonly string[] = []): string[][] {
  return [[...path], ...command.commands.flatMap((verb) => everyCommand(verb, [...path, verb.name()]))];
}

const commands = everyCommand(buildProgram(screen().terminal));

describe("help", () => {
  test.each(commands.map((path) => [path.join(" "), path] as const))("of holdfast %s is as written down", async (name, path) => {
    const shown = screen();
    expect(await run([...path, "--help"], shown.terminal)).toBe(0);
    expect(shown.err()).toBe("");
    expect(shown.out()).not.toMatch(/\u001b/);
    for (const line of shown.out().split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    await expect(shown.out()).toMatchFileSnapshot(`golden/help-${name === "" ? "holdfast" : name.replace(" ", "-")}.txt`);
  });

  test("every command that does something takes --json", () => {
    const leaves = commands.filter(
      (path) =>
        path.length > 0 &&
        !commands.some((other) => other.length > path.length && path.every((part, index) => other[index] === part)),
    );
    for (const path of leaves) {
      let command: Command | undefined = buildProgram(screen().terminal);
      for (const name of path) command = command?.commands.find((known) => known.name() === name);
      expect(
        command?.options.some(({ long }) => long === "--json"),
        path.join(" "),
      ).toBe(true);
    }
  });
});

describe("a wrong command line", () => {
  test.each([
    [["pol", "list"], "Unknown command 'pol'.", "Did you mean pool? See `holdfast --help`."],
    [["pool", "lst"], "Unknown command 'lst'.", "Did you mean list? See `holdfast pool --help`."],
    [["pool", "list", "--jsn"], "Unknown option '--jsn'.", "Did you mean --json? See `holdfast pool list --help`."],
    [["pool", "show"], "Missing required argument 'pool'.", "See `holdfast pool show --help`."],
    [
      ["pool", "show", "a", "b"],
      "Too many arguments for 'show'. Expected 1 argument but got 2.",
      "See `holdfast pool show --help`.",
    ],
    [
      ["lease", "list", "--limit", "0"],
      "Option '--limit <n>' argument '0' is invalid. It takes a whole number from 1 on.",
      "See `holdfast lease list --help`.",
    ],
    [
      ["lease", "show", "x"],
      "Command-argument value 'x' is invalid for argument 'lease'. It takes a whole number from 1 on.",
      "See `holdfast lease show --help`.",
    ],
    [
      ["lease", "list", "--at", "yesterday"],
      "Option '--at <moment>' argument 'yesterday' is invalid. It takes a position like 812 or a time like 2026-11-30T14:02:00Z.",
      "See `holdfast lease list --help`.",
    ],
    [["endpoint", "define", "nse"], "Required option '--group <pools>' not specified.", "See `holdfast endpoint define --help`."],
    [
      ["log", "show", "--type", "lease-lost"],
      `Option '--type <types>' argument 'lease-lost' is invalid. "lease-lost" is no event type; there are `,
      "See `holdfast log show --help`.",
    ],
    [
      ["serve", "--listen", "here"],
      `--listen takes an address and a port like 127.0.0.1:8080 or [::1]:8080, not "here".`,
      "See `holdfast config --help` for the settings.",
    ],
    [
      ["pool", "list", "--url", "ftp://x"],
      `--url must be an http or https address, not "ftp://x".`,
      "Write it like http://127.0.0.1:8080.",
    ],
  ])("%j is refused with exit code 2, the rule and where to look", async (args, message, next) => {
    const shown = screen();
    expect(await run(args, shown.terminal)).toBe(2);
    expect(shown.out()).toBe("");
    expect(shown.err()).toContain(`Error: ${message}`);
    expect(shown.err()).toContain(`\n${next}\n`);
  });

  test("no command at all shows the help, on stderr", async () => {
    const shown = screen();
    expect(await run([], shown.terminal)).toBe(2);
    expect(shown.out()).toBe("");
    expect(shown.err()).toMatch(/^Usage: holdfast/);
  });

  test("with --json the failure is one JSON document on stderr", async () => {
    const shown = screen();
    expect(await run(["pool", "lst", "--json"], shown.terminal)).toBe(2);
    expect(JSON.parse(shown.err())).toEqual({
      error: {
        message: "Unknown command 'lst'.",
        next: "Did you mean list? See `holdfast pool --help`.",
        exitCode: 2,
        code: "usage",
      },
    });
  });
});
