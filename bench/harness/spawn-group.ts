/** Starts a group's process and collects its rows until it ends or its time is over. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ChildMessage } from "./child.js";
import type { Row } from "./row.js";
import type { ScaleName } from "./scale.js";

export interface GroupResult {
  readonly group: string;
  readonly rows: readonly Row[];
  readonly seconds: number;
  /** Why the rows are not complete. */
  readonly failure?: string;
}

/** Never rejects: a group that fails is part of the result. `profile` is a folder for CPU profiles. */
export async function spawnGroup(
  name: string,
  scale: ScaleName,
  limitSeconds: number,
  onRow: (row: Row) => void,
  profile?: string,
): Promise<GroupResult> {
  const started = performance.now();
  const rows: Row[] = [];
  let done = false;
  let timedOut = false;
  const child = fork(fileURLToPath(new URL("./child.js", import.meta.url)), [name, scale], {
    execArgv: ["--expose-gc", "--enable-source-maps", ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`])],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGKILL");
  }, limitSeconds * 1000);
  child.on("message", (message: ChildMessage) => {
    if ("row" in message) {
      rows.push(message.row);
      onRow(message.row);
    } else done = true;
  });
  const ended = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  clearTimeout(timer);
  const seconds = (performance.now() - started) / 1000;
  if (timedOut) return { group: name, rows, seconds, failure: `cut short after ${limitSeconds} s` };
  return done ? { group: name, rows, seconds } : { group: name, rows, seconds, failure: `ended with ${ended}` };
}
