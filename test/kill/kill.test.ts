import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Core } from "#events/core.js";
import { openReadOnly } from "#events/log-view.js";
import { ServerProcess, end } from "#host/demo/server-process.js";
import type { ChildProcess } from "node:child_process";
import { LoadedClient, send } from "./client.js";

/** How often the server is killed: `HOLDFAST_KILLS` says; 50 in CI, 20 where somebody waits for the tests. */
const kills = Number(process.env["HOLDFAST_KILLS"] ?? (process.env["CI"] === "true" ? 50 : 20));
const seed = Number(process.env["HOLDFAST_SEED"] ?? Date.now() % 1_000_000);
const clientCount = 24;

/** Numbers between 0 and 1 that the seed fixes. */
function dice(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

it(`${kills} SIGKILLs under load lose nothing that was acknowledged (seed ${seed})`, { timeout: 900_000 }, async () => {
  const random = dice(seed);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kill-"));
  const children = new Set<ChildProcess>();
  const start = (): Promise<ServerProcess> => ServerProcess.start(folder, (child) => children.add(child));
  const clients = Array.from({ length: clientCount }, (_, i) => new LoadedClient(`nsc-${i}`, i % 2 === 0 ? "pairs" : "both"));
  let acknowledged = 0;
  let healed = 0;
  try {
    let server = await start();
    const setUp = new Agent();
    await send(setUp, `${server.url}/v1/pools/four`, "PUT", { mode: "pair", prefixes: ["172.16.0.0/20"] });
    await send(setUp, `${server.url}/v1/pools/six`, "PUT", { mode: "single", prefixes: ["fd00::/64"] });
    await send(setUp, `${server.url}/v1/endpoints/pairs`, "PUT", { chain: [["four"]] });
    await send(setUp, `${server.url}/v1/endpoints/both`, "PUT", { chain: [["four"], ["six"]] });
    setUp.destroy();

    for (let round = 0; round < kills; round++) {
      const { url } = server;
      const agent = new Agent({ keepAlive: true, maxSockets: clientCount });
      let stop = false;
      const load = clients.map(async (client) => {
        while (!stop) {
          if (client.held !== undefined && !client.unsure && random() < 0.15) {
            await client.close(agent, url);
            acknowledged += client.unsure ? 0 : 1;
            continue;
          }
          const got = await client.ask(agent, url, random() < 0.5 ? "right" : "empty");
          if (got === undefined) return;
          // What was acknowledged before is what every later answer says.
          if (client.held !== undefined && !client.unsure) expect(got, client.name).toBe(client.held);
          client.held = got;
          client.unsure = false;
          acknowledged++;
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 20 + random() * 120));
      await server.kill();
      stop = true;
      await Promise.all(load);
      agent.destroy();

      server = await start();
      const after = new Agent({ keepAlive: true });
      const order = [...clients].sort(() => random() - 0.5);
      for (const client of order.filter(({ held, unsure }) => held !== undefined && !unsure).slice(0, 8)) {
        expect(await client.ask(after, server.url, random() < 0.5 ? "right" : "empty"), `${client.name} after kill ${round + 1}`).toBe(client.held);
        healed++;
      }
      const leases = (await send(after, `${server.url}/v1/leases?limit=1000`, "GET"))!.body as { items: { dst: string; src: string; pool: string; state: string }[] };
      const live = leases.items.filter(({ state }) => state === "live");
      const addresses = live.flatMap(({ pool, dst, src }) => (pool === "six" ? [src] : [dst, src]));
      expect(new Set(addresses).size, "an address in two leases").toBe(addresses.length);
      after.destroy();
    }
    await server.kill();

    const view = await openReadOnly(join(folder, "demo"));
    const core = Core.create();
    for await (const batch of view.read(1)) core.apply(batch.body);
    expect(core.position).toBe(view.head().position);
    await view.close();
    expect(acknowledged).toBeGreaterThan(kills);
    expect(healed).toBeGreaterThan(kills);
    console.log(`${kills} kills, ${acknowledged} acknowledged, ${healed} healed, ${core.position} events`);
  } finally {
    for (const child of children) await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
});
