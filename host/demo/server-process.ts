/**
 * A serving process of its own, so that killing it is real: no destructor runs, no buffer is flushed, nothing
 * is saved at the end.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ServerClient } from "../cli/server-client.js";
import type { Door } from "./client.js";

/** A slow machine needs a second or two; longer means it will not come. */
const startWithinMs = 20_000;

/** Last lines of the server's messages, to show why it did not come up. */
const messageLinesKept = 20;

const mainPath = fileURLToPath(new URL("../cli/main.js", import.meta.url));

export class ServerProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
  ) {}

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Starts on a free port of the loopback address and resolves once it is ready; `onSpawn` gets the process before that. */
  static async start(dataDir: string, onSpawn: (child: ChildProcess) => void): Promise<ServerProcess> {
    const child = spawn(
      process.execPath,
      [mainPath, "serve", "--json", "--data-dir", dataDir, "--listen", "127.0.0.1:0", "--realm", "demo"],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: quietEnvironment(),
      },
    );
    onSpawn(child);
    const messages: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      messages.push(line);
      if (messages.length > messageLinesKept) messages.shift();
    });
    const lines = createInterface({ input: child.stdout });
    const late = AbortSignal.timeout(startWithinMs);
    try {
      const line = await Promise.race([
        once(lines, "line", { signal: late }).then(([text]) => text as string),
        once(child, "exit", { signal: late }).then(([code, signal]) => {
          throw new Error(`it ended with ${code === null ? String(signal) : `code ${String(code)}`}`);
        }),
      ]);
      return new ServerProcess(child, (JSON.parse(line) as { url: string }).url);
    } catch (error) {
      await end(child);
      throw new Error(`The demo's server did not start.${messages.length === 0 ? "" : ` It said:\n${messages.join("\n")}`}`, {
        cause: error,
      });
    }
  }

  door(): Door {
    const client = new ServerClient(this.url, undefined);
    return async (method, path, body) =>
      (await (method === "GET" ? client.get(path) : method === "PUT" ? client.put(path, body) : client.post(path, body))).body;
  }

  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void> {
    return end(this.child);
  }
}

/** Kills `child` if it still runs and waits until it is gone. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** Ours without HOLDFAST_*: the demo must not serve on an address, or with tokens, that somebody configured. */
function quietEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_")));
}
