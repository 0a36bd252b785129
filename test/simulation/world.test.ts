import { describe, expect, it } from "vitest";
import type { MemoryDisk } from "#events/memory-store.js";
import { seedOfRun } from "./dice.js";
import { World } from "./world.js";

const seed = seedOfRun();
const steps = Number(process.env["HOLDFAST_STEPS"] ?? (process.env["CI"] === "true" ? 2000 : 500));

it(`a world of ${steps} steps with faults, crashes and downtimes keeps every promise (npm run sim -- --seed ${seed} --steps ${steps})`, { timeout: 600_000 }, async () => {
  const world = new World(seed);
  await world.start();
  for (let step = 0; step < steps; step++) await world.step();
  await world.end();
  console.log(`seed ${seed}: ${JSON.stringify(world.tally)}`);
  expect(world.tally.acknowledged).toBeGreaterThan(steps / 10);
});

/** Steps enough for several restarts with clients that hold something. */
const restartsBy = 150;

describe("the auditor of the world catches a planted fault", () => {
  it.each<[string, (disk: MemoryDisk) => void]>([
    ["the last durable batch is lost in a restart", (disk) => void disk.batches.pop()],
    ["the log is empty after a restart", (disk) => void disk.batches.splice(0)],
    ["a batch in the middle is gone", (disk) => void disk.batches.splice(disk.batches.length >> 1, 1)],
    ["one byte of a batch is another", (disk) => void (disk.batches.at(-1)!.body[40]! ^= 1)],
  ])("%s", async (_, sabotage) => {
    const world = new World(1358, sabotage);
    await world.start();
    await expect(
      (async () => {
        for (let step = 0; step < restartsBy; step++) await world.step();
      })(),
    ).rejects.toThrow();
  });
});
