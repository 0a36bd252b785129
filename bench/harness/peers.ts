/** Builds and runs the Go program beside us. Where Go is missing, says so; the benchmarks go on without. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import type { ScaleName } from "./scale.js";
import type { Unit } from "./row.js";

const run = promisify(execFile);

export interface GoRow {
  readonly name: string;
  readonly unit: Unit;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly repetitions: number;
}

export type GoPeers =
  | { readonly ran: true; readonly go: string; readonly modules: Record<string, string>; readonly rows: readonly GoRow[]; readonly skipped: readonly string[] }
  | { readonly ran: false; readonly reason: string };

/** The folder with the program's sources: beside the sources of the benchmarks, not beside the compiled ones. */
const sources = fileURLToPath(new URL("../../../bench/peers/go", import.meta.url));

/** Bounded: the build gets five minutes (it may fetch modules), the run twelve, thirty with the long heal storm. */
export async function runGoPeers(scale: ScaleName, heal30k: boolean): Promise<GoPeers> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-peers-"));
  try {
    const binary = join(folder, "peers");
    try {
      await run("go", ["build", "-o", binary, "."], { cwd: sources, timeout: 300_000 });
    } catch (error) {
      return { ran: false, reason: missing(error) ? "go is not installed" : `go build failed: ${lastLine(error)}` };
    }
    const flags = [...(scale === "full" ? [] : [`-${scale}`]), ...(heal30k ? ["-heal-30k"] : [])];
    try {
      const { stdout } = await run(binary, flags, { timeout: heal30k ? 1_800_000 : 720_000, maxBuffer: 1 << 24 });
      return { ran: true, ...(JSON.parse(stdout) as Omit<Extract<GoPeers, { ran: true }>, "ran">) };
    } catch (error) {
      return { ran: false, reason: `the Go program failed: ${lastLine(error)}` };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function missing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  return (stderr?.trim() || message || String(error)).split("\n").at(-1) ?? "";
}
