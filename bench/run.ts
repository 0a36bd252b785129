/** `npm run bench`: runs the groups one after the other, prints the table, keeps the result. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { calibrate, describeSpeed } from "./harness/calibrate.js";
import { compare, readBaseline, type Change, type Result } from "./harness/baseline.js";
import { groups, type Group } from "./harness/group.js";
import { describe, machine } from "./harness/machine.js";
import { runGoPeers } from "./harness/peers.js";
import { meets, type Row } from "./harness/row.js";
import type { ScaleName } from "./harness/scale.js";
import { spawnGroup, type GroupResult } from "./harness/spawn-group.js";
import { number, peerOf, table } from "./harness/table.js";

const usage = `usage: npm run bench -- [options]
  --only <a,b>      only these groups: ${Object.keys(groups).join(", ")}
  --quick           smaller sizes and fewer repetitions (minutes instead of a quarter of an hour)
  --tiny            only shows that everything runs; its figures mean nothing
  --no-peers        leave the Go peers out
  --heal-30k        let NSM's allocator heal 30 000 clients too (two minutes, ten on a busy machine)
  --profile <dir>   write a CPU profile of each group's process there
  --save-baseline   keep this run as bench/baseline.json
  --no-save         keep nothing of this run`;

const here = fileURLToPath(new URL("../../bench", import.meta.url));

function options() {
  try {
    return parseArgs({
      options: {
        only: { type: "string" },
        quick: { type: "boolean", default: false },
        tiny: { type: "boolean", default: false },
        "no-peers": { type: "boolean", default: false },
        "heal-30k": { type: "boolean", default: false },
        profile: { type: "string" },
        "save-baseline": { type: "boolean", default: false },
        "no-save": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

const chosen = options();
if (chosen.help) {
  console.log(usage);
  process.exit(0);
}
const scale: ScaleName = chosen.tiny ? "tiny" : chosen.quick ? "quick" : "full";
const names = chosen.only?.split(",") ?? Object.keys(groups);
const unknown = names.filter((name) => groups[name] === undefined);
if (unknown.length > 0) {
  console.error(`--only: no group "${unknown.join('", "')}"\n${usage}`);
  process.exit(2);
}

const facts = machine();
const speed = await calibrate();
const baselinePath = join(here, "baseline.json");
const baseline = await readBaseline(baselinePath);
console.error(`Holdfast benchmarks (${scale}): ${describe(facts)}; ${describeSpeed(speed)}`);

const go = chosen["no-peers"] ? undefined : await runGoPeers(scale, chosen["heal-30k"]);
if (go?.ran === false) console.error(`Go peers: ${go.reason}`);

const results: GroupResult[] = [];
for (const name of names) {
  const { measures, limitSeconds } = groups[name] as Group;
  console.error(`${name}: ${measures}`);
  const show = (row: Row): void => console.error(`  ${row.name}: ${number(row.figure.median)} ${row.unit}`);
  results.push(await spawnGroup(name, scale, limitSeconds, show, chosen.profile));
}

const rows = results.flatMap((result) => result.rows);
const changes: ReadonlyMap<string, Change> = baseline === undefined ? new Map() : compare(rows, baseline);
console.log(`\nHoldfast ${scale}: ${describe(facts)}`);
console.log(`Speed: ${describeSpeed(speed)}`);
if (go?.ran) console.log(`Peers: ${go.go}, ${Object.entries(go.modules).map(([path, version]) => `${path} ${version}`).join(", ")}`);
if (baseline !== undefined) console.log(`Baseline: ${baseline.at} (${baseline.scale}): ${describe(baseline.machine)}; ${describeSpeed(baseline.speed)}`);
console.log(`\n${table(rows, go, changes)}`);

const budgets = rows.map((row) => {
  const peer = peerOf(row, go);
  return meets(row, typeof peer === "string" ? undefined : peer);
});
if (scale === "tiny") console.log("\nThese sizes only show that everything runs; the figures mean nothing.");
console.log(`\nBudgets: ${budgets.filter((met) => met === true).length} met, ${budgets.filter((met) => met === false).length} not met.`);

const result: Result & { go: typeof go; failures: unknown } = {
  at: new Date().toISOString(),
  scale,
  machine: facts,
  speed,
  rows,
  go,
  failures: results.filter((one) => one.failure !== undefined).map(({ group, failure }) => ({ group, failure })),
};
const text = `${JSON.stringify(result, undefined, 1)}\n`;
if (!chosen["no-save"]) {
  const path = join(here, "results", `${result.at.replaceAll(":", "-")}-${scale}.json`);
  await mkdir(join(here, "results"), { recursive: true });
  await writeFile(path, text);
  console.error(`result: ${path}`);
}
if (chosen["save-baseline"]) await writeFile(baselinePath, text);

for (const { group, failure } of results) if (failure !== undefined) console.error(`${group}: ${failure}`);
process.exitCode = results.some((one) => one.failure !== undefined) ? 1 : 0;
