/** The command line as a process of its own, as people and scripts run it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const mainPath = fileURLToPath(new URL("../../dist/host/cli/main.js", import.meta.url));

/** Ours without HOLDFAST_*, which would reach into the test. */
function environment(more: Record<string, string>): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"))), ...more };
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function start(
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess & { readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [mainPath, ...args], { stdio: ["ignore", "pipe", "pipe"], env: environment(env) });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, out, err }));
  return Object.assign(child, { ended });
}

/** Runs to its end. */
export function holdfast(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return start(args, env).ended;
}

export interface Serving {
  readonly child: ReturnType<typeof start>;
  readonly url: string;
  readonly pid: number;
}

/** A server on a free port of the loopback address, once it answers. */
export async function serve(dataDir: string, ...args: string[]): Promise<Serving> {
  const child = start(["serve", "--json", "--listen", "127.0.0.1:0", "--data-dir", dataDir, ...args]);
  if (child.stdout === null) throw new Error("no stdout");
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([text]) => text as string),
    child.ended.then(({ err }) => Promise.reject(new Error(`the server did not start: ${err}`))),
  ]);
  const { url, pid } = JSON.parse(line) as { url: string; pid: number };
  return { child, url, pid };
}

/** Ends it if it still runs. */
export async function kill(child: ReturnType<typeof start>): Promise<Ended> {
  child.kill("SIGKILL");
  return child.ended;
}
