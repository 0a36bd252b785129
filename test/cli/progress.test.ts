import { expect, test } from "vitest";
import { Progress } from "#host/cli/progress.js";
import { screen } from "./screen.js";

test("work of less than a second shows no bar", () => {
  const watched = screen(80);
  let now = 0;
  const progress = new Progress(watched.terminal, "replaying", 10, "events", { clock: () => now });
  now = 999;
  progress.reached(9);
  progress.done();
  expect(watched.err()).toBe("");
});

test("longer work shows a bar on stderr and takes it away at the end", () => {
  const watched = screen(80);
  let now = 0;
  const progress = new Progress(watched.terminal, "replaying", 10, "events", { clock: () => now });
  now = 1001;
  progress.reached(5);
  expect(watched.err()).toContain("replaying [############------------] 50%  5 of 10 events");
  progress.done();
  // Cursor shown again, line cleared.
  expect(watched.err()).toContain("\u001b[?25h");
  expect(watched.out()).toBe("");
});

test("a pipe sees no bar, however long it takes", () => {
  const piped = screen();
  let now = 0;
  const progress = new Progress(piped.terminal, "replaying", 10, "events", { clock: () => now });
  now = 60_000;
  progress.reached(5);
  progress.done();
  expect(piped.err()).toBe("");
});
