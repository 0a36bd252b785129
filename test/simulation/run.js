// npm run sim -- --seed 7 --steps 2000: plays one world of the simulation and says how it went.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { seed: { type: "string", default: "7" }, steps: { type: "string", default: "2000" } } });
for (const [name, value] of Object.entries(values)) {
  if (!/^[1-9]\d*$/.test(value)) {
    process.stderr.write(`--${name} must be a whole number above 0, not "${value}"\n`);
    process.exit(2);
  }
}
const root = fileURLToPath(new URL("../..", import.meta.url));
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "test/simulation/world.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, HOLDFAST_SEED: values.seed, HOLDFAST_STEPS: values.steps },
});
process.exit(status ?? 1);
