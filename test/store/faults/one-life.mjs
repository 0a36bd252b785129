/**
 * Child process under fault-shim.so: plays one life of a log and is cut off at its n-th call. Each acknowledged position
 * is on stdout before anything else happens.
 *
 *   node one-life.mjs <data dir> <control file> <mode> <nth> <seed>
 */
import { writeSync } from "node:fs";
import { Control } from "./control.mjs";
import { life } from "./script.mjs";

const [dataDir, controlFile, mode, nth, seed] = process.argv.slice(2);
new Control(controlFile).arm({ mode, nth: Number(nth), seed: Number(seed) });
const refusals = await life(dataDir, (position) => writeSync(1, `${position}\n`));
for (const { what, message } of refusals) process.stderr.write(`${what}: ${message}\n`);
