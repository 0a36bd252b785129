/** The service as a process: it ends by signals, in order by the first and at once by the second. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const program = `
import { loadConfig } from "#host/config/load.js";
import { serve } from "#host/serve.js";
const { config } = loadConfig({ flags: { store: "memory", listen: "127.0.0.1:0", shutdownSeconds: "60" }, env: {} });
await serve(config, { onReady: ({ url }) => console.log(url) });
console.log("ended");
`;

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
  /** All it said on stderr: its log, one JSON object a line. */
  readonly log: () => readonly { msg: string }[];
  readonly exit: Promise<{ code: number | null; output: string }>;
}

async function service(): Promise<Service> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] },
  });
  children.push(child);
  let output = "";
  let log = "";
  child.stderr.on("data", (chunk) => (log += String(chunk)));
  const exit = new Promise<{ code: number | null; output: string }>((resolve) => child.on("close", (code) => resolve({ code, output })));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
      if (output.includes("\n")) resolve();
    });
    child.on("close", () => reject(new Error(log)));
  });
  return {
    child,
    url: output.trim(),
    log: () =>
      log
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { msg: string }),
    exit,
  };
}

test.each(["SIGTERM", "SIGINT"] as const)("%s stops the service in order, with exit code 0", async (signal) => {
  const { child, url, log, exit } = await service();
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  child.kill(signal);
  const { code, output } = await exit;
  expect([code, output.endsWith("ended\n")]).toEqual([0, true]);
  expect(log().map(({ msg }) => msg)).toEqual(["listening", "ready", "stopping", "snapshot written", "stopped"]);
});

test("a second signal ends it at once", async () => {
  const { child, url, log, exit } = await service();
  // A request that never ends keeps the orderly stop waiting.
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.write("PUT /v1/pools/p HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
  // Once another request is answered the server has read the head of this one.
  await fetch(`${url}/livez`);
  child.kill("SIGTERM");
  while (!log().some(({ msg }) => msg === "stopping")) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill("SIGTERM");
  expect((await exit).code).toBe(143);
  socket.destroy();
});
