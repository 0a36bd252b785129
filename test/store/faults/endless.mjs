/**
 * Child process: appends until it is stopped from outside, three batches in flight, a snapshot now and then. Says
 * `start` before it opens the log, then each acknowledged position and how long the WAL was by then.
 *
 *   node endless.mjs <data dir> <ms between checkpoints> <appends, 0 for no end>
 */
import { statSync, writeSync } from "node:fs";
import { openSqliteStore } from "#events/sqlite-store.js";
import { body, REALM } from "./script.mjs";

const [dataDir, checkpointEveryMs, appends] = process.argv.slice(2);
const wal = `${dataDir}/${REALM}/log-0000000000000001.db-wal`;
const say = (line) => writeSync(1, `${line}\n`);

say("start");
const store = await openSqliteStore({ dataDir, realm: REALM, ballastBytes: 0, walLimitBytes: 1024 * 1024, checkpointEveryMs: Number(checkpointEveryMs) });
let last = store.head().position;
const flying = [];
for (let n = 1; appends === "0" || n <= Number(appends); n++) {
  const count = 1 + ((last * 7 + n) % 20);
  flying.push(store.append(last, body(last + 1, count), count, Date.now()).then(({ head }) => say(`${head.position} ${statSync(wal).size}`)));
  last += count;
  if (flying.length >= 3) await flying.shift();
  if (n % 25 === 0) {
    const { position } = store.head();
    await store.writeSnapshot({ position, stateHash: "ab", coreVersion: 1 }, [Buffer.alloc(100, 1), Buffer.alloc(50, 2)]);
  }
}
await Promise.all(flying);
say("done");
process.kill(process.pid, "SIGKILL");
