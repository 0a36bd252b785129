/**
 * Child process under fault-shim.so: a checkpoint that a reader holds up half-way writes pages without syncing them; the
 * next one fails its sync, and the kernel loses both. SQLite believes the first half to be in the database file: a
 * checkpoint at closing would move the rest, delete the WAL, and with it the only copy.
 *
 *   node partial-checkpoint.mjs <data dir> <control file>
 */
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { Control } from "./control.mjs";
import { body, judge, open, REALM } from "./script.mjs";

const [dataDir, controlFile] = process.argv.slice(2);
const control = new Control(controlFile);
const store = await open(dataDir);
let acknowledged = 0;
const append = async (count) => {
  acknowledged = (await store.append(acknowledged, body(acknowledged + 1, count), count, 1_000)).head.position;
};

await append(200);
const connect = () => new Database(`${dataDir}/${REALM}/log-0000000000000001.db`, { readonly: true });
const reader = connect();
// Inside its transaction the reader may not ask.
const watcher = connect();
reader.exec("BEGIN");
reader.prepare("SELECT count(*) FROM batch").get();
await append(200);
const wal = () => watcher.prepare("PRAGMA wal_checkpoint(NOOP)").get();
while (!(wal().checkpointed > 0 && wal().checkpointed < wal().log)) await pause(1);
control.arm({ mode: "lose", nth: 1, calls: ["sync"], match: ".db" });
reader.exec("COMMIT");
let refused;
while (refused === undefined) {
  await append(1).catch((error) => {
    refused = error.code;
  });
  await pause(1);
}
reader.close();
watcher.close();
await store.close();
const { fired, what } = control.disarm();
const wrong = await judge(dataDir, acknowledged).catch((reason) => [`reopening failed: ${reason.message}`]);
console.log(JSON.stringify({ fired, what, refused, wrong }));
