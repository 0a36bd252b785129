#!/usr/bin/env node
/**
 * The process: arguments in, exit code out. Shows how a command ended; decides nothing else.
 */
import { run } from "./run.js";
import { Terminal } from "./terminal.js";

// `holdfast log show | head` closes our stdout early: that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), new Terminal(process.stdout, process.stderr, process.env));
