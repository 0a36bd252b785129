import { expect, it } from "vitest";
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
