/**
 * Child process under fault-shim.so: plays the life of a log again and again, with the first, the second, the third
 * ... of some calls going wrong, until a life has no such call left. One line of JSON per life.
 *
 *   node every-step.mjs <data dir> <control file> new|existing <JSON list of what goes wrong, see control.mjs>
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Control } from "./control.mjs";
import { judge, life, open } from "./script.mjs";

const [dataDir, controlFile, from, list] = process.argv.slice(2);
const control = new Control(controlFile);
/** Threads take turns as they like, so one life has a few calls more than another. */
const QUIET_LIVES = 2;

for (const wrongs of JSON.parse(list)) {
  for (let nth = 1, quiet = 0; quiet < QUIET_LIVES; nth++) {
    const folder = join(dataDir, String(nth));
    let acknowledged = 0;
    if (from === "existing") await (await open(folder)).close();
    control.arm({ ...wrongs, nth });
    const refusals = await life(folder, (position) => {
      acknowledged = Math.max(acknowledged, position);
    });
    const { fired, what } = control.disarm();
    quiet = fired ? 0 : quiet + 1;
    const wrong = await judge(folder, acknowledged).catch((reason) => [`reopening failed: ${reason.message}`]);
    console.log(JSON.stringify({ nth, fired, what, acknowledged, refusals, wrong }));
    rmSync(folder, { recursive: true, force: true });
  }
}
