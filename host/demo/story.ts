/**
 * The demo: two clients, a killed server, a newcomer that asks first, and the two coming back in reverse order.
 * Then every order of four. The same moves that made a client lose its address in NSM (sdk#1358).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildProcess } from "node:child_process";
import { Progress } from "../cli/progress.js";
import type { Terminal } from "../cli/terminal.js";
import { ask, type Answered } from "./client.js";
import { tryEveryOrder, type OrderResult, type Service } from "./every-order.js";
import { Narrator } from "./narrator.js";
import { reopen } from "./reopened.js";
import { end, ServerProcess } from "./server-process.js";
import { judge, type Verdict } from "./verdict.js";

const pool = "p2p";
const prefix = "172.16.1.0/24";
const endpoint = "nse";

export interface DemoResult {
  readonly ok: boolean;
  readonly story: Verdict & { readonly pool: string; readonly prefix: string };
  readonly orders: {
    readonly tried: number;
    readonly kept: number;
    /** `reopened`: the log was opened anew in this process; `killed`: a server process was killed and started. */
    readonly restart: "reopened" | "killed";
    readonly faults: readonly OrderResult[];
  };
  readonly seconds: number;
}

export interface DemoChoice {
  /** Also for each of the 24 orders a server process of its own, killed at the end. */
  readonly killEach: boolean;
  readonly silent: boolean;
  readonly signal: AbortSignal;
}

/** Plays the story. Whatever happens, no process and no file of it is left. */
export async function playDemo(terminal: Terminal, choice: DemoChoice): Promise<DemoResult> {
  const started = performance.now();
  const children = new Set<ChildProcess>();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-demo-"));
  const stage: Stage = {
    terminal,
    choice,
    narrator: new Narrator(terminal, choice.silent, choice.signal),
    folder,
    dataDir: join(folder, "data"),
    start: (dataDir) => ServerProcess.start(dataDir, (child) => void children.add(child)),
  };
  // A server that waits for nobody: when the demo is interrupted in the middle of a request, the request ends too.
  const stop = (): void => {
    for (const child of children) child.kill("SIGKILL");
  };
  choice.signal.addEventListener("abort", stop);
  try {
    const { story, answers } = await playStory(stage);
    const results = await playOrders(stage, answers);
    const faults = results.filter((result) => !result.verdict.ok);
    const ok = story.ok && faults.length === 0;
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    stage.narrator.verdict(
      ok,
      ok ? `Nobody moved and no address was shared. (${seconds} s)` : "An address moved or was shared. This must not happen.",
    );
    return {
      ok,
      story: { ...story, pool, prefix },
      orders: {
        tried: results.length,
        kept: results.length - faults.length,
        restart: choice.killEach ? "killed" : "reopened",
        faults,
      },
      seconds,
    };
  } finally {
    choice.signal.removeEventListener("abort", stop);
    await Promise.all([...children].map(end));
    await rm(folder, { recursive: true, force: true });
  }
}

interface Stage {
  readonly terminal: Terminal;
  readonly choice: DemoChoice;
  readonly narrator: Narrator;
  readonly folder: string;
  readonly dataDir: string;
  readonly start: (dataDir: string) => Promise<ServerProcess>;
}

async function playStory({ narrator, dataDir, start }: Stage): Promise<{ story: Verdict; answers: Answered[] }> {
  narrator.title("Two clients, a crash, and nobody moves");

  await narrator.step("A server starts.");
  let server = await start(dataDir);
  narrator.say(`Process ${server.pid} serves ${server.url}.`);
  let door = server.door();
  await door("PUT", `/v1/pools/${pool}`, { mode: "pair", prefixes: [prefix] });
  await door("PUT", `/v1/endpoints/${endpoint}`, { chain: [[pool]] });
  narrator.say(`It has ${prefix} to give out, two addresses for each client.`);

  await narrator.step("NSC-1 and NSC-2 ask for addresses.");
  const first = await ask(door, endpoint, "NSC-1", "NSC-1-one", {});
  const second = await ask(door, endpoint, "NSC-2", "NSC-2-one", {});
  const before = [first.holding, second.holding];
  narrator.holdings(before);

  await narrator.step("The server is killed.");
  await server.kill();
  narrator.say(`Process ${server.pid} got SIGKILL: it could not save anything on its way out.`);

  await narrator.step("It starts again on the same data directory.");
  server = await start(dataDir);
  door = server.door();
  narrator.say(`Process ${server.pid} has read its log.`);

  await narrator.step("A third client asks first. Then NSC-2 comes back, then NSC-1.");
  const third = await ask(door, endpoint, "NSC-3", "NSC-3-one", {});
  const secondBack = await ask(door, endpoint, "NSC-2", "NSC-2-two", second.context);
  const firstBack = await ask(door, endpoint, "NSC-1", "NSC-1-two", first.context);
  const story = judge(
    before,
    [third, secondBack, firstBack].map(({ holding }) => holding),
  );
  narrator.comparison(story.rows);

  await narrator.step("NSC-4 joins, so there are four clients. The server is killed again.");
  const fourth = await ask(door, endpoint, "NSC-4", "NSC-4-one", {});
  await server.kill();
  return { story, answers: [firstBack, secondBack, third, fourth] };
}

async function playOrders(
  { terminal, choice, narrator, folder, dataDir, start }: Stage,
  answers: Answered[],
): Promise<OrderResult[]> {
  await narrator.step("Four clients can come back in 24 orders. Each order is tried.");
  narrator.say("Each one starts from its own copy of the killed server's log. A fifth client");
  narrator.say("asks first every time, and half of the clients have forgotten what they had.");
  narrator.say(
    choice.killEach
      ? "A new server process is started on each copy, and killed after it."
      : "To be quick, each copy is opened inside this process; no server is killed.",
  );
  const progress = new Progress(terminal, "   orders", 24, "done", { quietMs: 0 });
  const results = await tryEveryOrder({
    folder,
    source: dataDir,
    endpoint,
    before: answers,
    newcomer: "NSC-5",
    serve: async (copy) => (choice.killEach ? ofProcess(await start(copy)) : reopen(copy)),
    reached: (count) => {
      if (!choice.silent) progress.reached(count);
    },
    signal: choice.signal,
  }).finally(() => progress.done());
  const kept = results.filter((result) => result.verdict.ok);
  narrator.say(`${kept.length} of ${results.length} orders: every client has what it had, and nothing is shared.`);
  for (const { order, verdict } of results.filter((result) => !result.verdict.ok)) {
    narrator.say(`In the order ${order.join(", ")}:${verdict.shared.length === 0 ? "" : ` shared ${verdict.shared.join(" ")}`}`);
    narrator.comparison(verdict.rows);
  }
  return results;
}

function ofProcess(server: ServerProcess): Service {
  return { door: server.door(), end: () => server.kill() };
}
