import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Core } from "#events/core.js";
import { openReadOnly } from "#events/log-view.js";
import { ServerProcess, end } from "#host/demo/server-process.js";
import type { ChildProcess } from "node:child_process";
import { Dice, seedOfRun } from "../simulation/dice.js";
import type { Listed } from "./client.js";
import { LoadedClient, send } from "./client.js";

/** How often the server is killed: `HOLDFAST_KILLS`, 200 in CI, 25 where somebody waits for the tests. */
const kills = Number(process.env["HOLDFAST_KILLS"] ?? (process.env["CI"] === "true" ? 200 : 25));
const seed = seedOfRun();
/** Each drives its own connection; the last ones of each endpoint are asked for together. */
const singles = 12;
const together = 8;

interface World {
  readonly dice: Dice;
  readonly clients: readonly LoadedClient[];
  readonly teams: readonly (readonly LoadedClient[])[];
}

/** Loads the server until it is gone, or until `isOver`. */
async function load({ dice, clients, teams }: World, agent: Agent, url: string, isOver: () => boolean): Promise<void> {
  const alone = clients.map(async (client) => {
    let answered = true;
    while (answered && !isOver()) {
      if (client.held === undefined || client.unsure || dice.chance(0.8)) {
        const isNew = client.held === undefined && !client.unsure;
        answered = await client.ask(agent, url, dice.chance(0.5) ? "right" : "empty");
        // A later element of the chain fails: what was granted this moment goes back.
        if (answered && isNew && dice.chance(0.3)) answered = await client.end("cancel", agent, url);
      } else answered = await client.end("close", agent, url);
    }
  });
  const inTeams = teams.map(async (team) => {
    let answered = true;
    while (answered && !isOver()) answered = await LoadedClient.askTogether(dice.shuffled(team), agent, url);
  });
  await Promise.all([...alone, ...inTeams]);
}

/** Everybody who was acknowledged something has it; who closed has nothing; nobody shares. */
function examine(leases: readonly Listed[], everybody: readonly LoadedClient[]): void {
  const live = leases.filter(({ state }) => state === "live");
  const owners = new Map<string, string>();
  for (const { pool, dst, src, client } of live) {
    for (const address of pool === "six" ? [src] : [dst, src]) {
      expect(owners.get(address), `${address} is in two leases`).toBeUndefined();
      owners.set(address, client.name);
    }
  }
  for (const { name, held, unsure } of everybody) {
    if (unsure) continue;
    const addresses = (held ?? "").split(/[ ,]/).filter((text) => text !== "").map((text) => text.split("/")[0]!);
    for (const address of addresses) expect(owners.get(address), `${address}, which ${name} was acknowledged`).toBe(name);
    expect([...owners].filter(([, owner]) => owner === name).map(([address]) => address).sort(), name).toEqual(addresses.sort());
  }
}

interface Toll {
  readonly acknowledged: number;
  readonly healed: number;
  readonly events: number;
}

/** One realm's life through `kills` kills. */
async function outlive(kills: number, dice: Dice): Promise<Toll> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kill-"));
  const children = new Set<ChildProcess>();
  const start = (): Promise<ServerProcess> => ServerProcess.start(folder, (child) => children.add(child));
  const client = (i: number): LoadedClient => new LoadedClient(`nsc-${i}`, i % 2 === 0 ? "pairs" : "both");
  const clients = Array.from({ length: singles }, (_, i) => client(i));
  const teams = [0, 1].map((parity) => Array.from({ length: together / 2 }, (_, i) => client(singles + 2 * i + parity)));
  const everybody = [...clients, ...teams.flat()];
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
      const agent = new Agent({ keepAlive: true, maxSockets: everybody.length });
      let isOver = false;
      const loading = load({ dice, clients, teams }, agent, server.url, () => isOver);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 40 + dice.below(60))), loading]);
      await server.kill();
      isOver = true;
      await loading;
      agent.destroy();

      server = await start();
      const after = new Agent({ keepAlive: true });
      const leases = (await send(after, `${server.url}/v1/leases?limit=1000`, "GET"))!.body as { items: Listed[] };
      examine(leases.items, everybody);
      for (const one of dice.shuffled(everybody.filter(({ held, unsure }) => held !== undefined && !unsure)).slice(0, 6)) {
        // Throws where the addresses are not those of before.
        expect(await one.ask(after, server.url, dice.chance(0.5) ? "right" : "empty"), `${one.name} after kill ${round + 1}`).toBe(true);
        healed++;
      }
      after.destroy();
    }
    const last = new Agent();
    const verdict = await send(last, `${server.url}/v1/log/verify`, "POST", {});
    expect(verdict).toMatchObject({ status: 200, body: { ok: true } });
    const listed = (await send(last, `${server.url}/v1/leases?limit=1000`, "GET"))!.body as { items: Listed[] };
    last.destroy();
    await server.kill();

    // Replay equals live: the same leases from the log alone, from the first event.
    const view = await openReadOnly(join(folder, "demo"));
    const core = Core.create();
    for await (const batch of view.read(1)) core.apply(batch.body);
    expect(core.position).toBe(view.head().position);
    await view.close();
    expect(core.reader().leases({}, undefined, 1000).items.filter(({ state }) => state === "live")).toEqual(listed.items.filter(({ state }) => state === "live"));

    const acknowledged = everybody.reduce((sum, one) => sum + one.acknowledged, 0);
    expect(acknowledged).toBeGreaterThan(kills * 2);
    expect(healed).toBeGreaterThan(kills);
    return { acknowledged, healed, events: core.position };
  } finally {
    for (const child of children) await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

it(`${kills} SIGKILLs under load lose nothing that was acknowledged (seed ${seed})`, { timeout: 900_000 }, async () => {
  // Two realms, each with a server of its own: while one starts, the other is under load.
  const tolls = await Promise.all([outlive(Math.ceil(kills / 2), new Dice(seed)), outlive(Math.floor(kills / 2), new Dice(seed + 1))]);
  const sum = (of: keyof Toll): number => tolls.reduce((total, toll) => total + toll[of], 0);
  console.log(`${kills} kills, ${sum("acknowledged")} acknowledged, ${sum("healed")} healed, ${sum("events")} events (seed ${seed})`);
});
