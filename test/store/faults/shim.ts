/** Builds fault-shim.c and runs children under it. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CONTROL_BYTES } from "./control.mjs";

const run = promisify(execFile);

/** The shim is Linux only, and is built where there is a C compiler. CI must have one. */
export const canBuild = process.env["CI"] === "true" || (process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0);

export interface Shim {
  /** Where the data that goes wrong must lie. */
  readonly dataDir: string;
  readonly controlFile: string;
  /** Runs a child script with these arguments to its end; gives its stdout, whatever its exit code. */
  child(script: string, args: readonly string[]): Promise<{ stdout: string; stderr: string; code: number }>;
}

export async function buildShim(folder: string): Promise<Shim> {
  const library = join(folder, "fault-shim.so");
  const controlFile = join(folder, "control");
  const dataDir = join(folder, "data");
  await run("cc", ["-shared", "-fPIC", "-O1", "-o", library, fileURLToPath(new URL("fault-shim.c", import.meta.url)), "-ldl"]);
  writeFileSync(controlFile, Buffer.alloc(CONTROL_BYTES));
  mkdirSync(dataDir);
  return {
    dataDir,
    controlFile,
    child: async (script, args) => {
      const env = { ...process.env, LD_PRELOAD: library, HOLDFAST_FAULT_FOLDER: `${dataDir}/`, HOLDFAST_FAULT_CONTROL: controlFile };
      const path = fileURLToPath(new URL(script, import.meta.url));
      try {
        return { ...(await run(process.execPath, [path, ...args], { env, maxBuffer: 64 * 1024 * 1024 })), code: 0 };
      } catch (error) {
        const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: unknown };
        if (typeof code !== "number") throw error;
        return { stdout, stderr, code };
      }
    },
  };
}
