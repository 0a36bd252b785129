/** Starts the server's and the load's process and asks them; both end with this one. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LoadOrder, LoadResult } from "./load.js";
import type { ServerReady, ServerUse } from "./server.js";

async function answerOf<T>(child: ChildProcess, what: string): Promise<T> {
  const gone = new AbortController();
  const onExit = (): void => gone.abort();
  child.once("exit", onExit);
  try {
    const [message] = (await once(child, "message", { signal: gone.signal })) as [T];
    return message;
  } catch (error) {
    throw new Error(`${what} ended before it answered`, { cause: error });
  } finally {
    child.off("exit", onExit);
  }
}

function start(module: string, execArgv: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(new URL(module, import.meta.url)), [], { execArgv: [...execArgv], stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

export class HttpBench {
  private constructor(
    private readonly server: ChildProcess,
    private readonly load: ChildProcess,
    readonly urls: ServerReady,
  ) {}

  static async start(): Promise<HttpBench> {
    const profile = process.execArgv.filter((flag) => flag.startsWith("--cpu-prof"));
    const server = start("./server.js", profile);
    const load = start("./load.js");
    return new HttpBench(server, load, await answerOf<ServerReady>(server, "the server"));
  }

  /** One load, with what the server spent on it. */
  async run(order: LoadOrder): Promise<LoadResult & ServerUse> {
    await this.use();
    this.load.send(order);
    const result = await answerOf<LoadResult>(this.load, "the load");
    return { ...result, ...(await this.use()) };
  }

  private async use(): Promise<ServerUse> {
    this.server.send("use");
    return answerOf<ServerUse>(this.server, "the server");
  }

  /** Resolves once both processes are gone, so that their files can be removed. */
  async stop(): Promise<void> {
    for (const child of [this.load, this.server]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    }
  }
}
