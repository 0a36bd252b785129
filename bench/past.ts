/** State at random positions of a long log, with the snapshots the service keeps. */
import { Realm } from "#events/realm.js";
import { rebuild } from "#events/replay.js";
import { openSqliteStore } from "#events/sqlite-store.js";
import type { SnapshotInfo } from "#events/store.js";
import type { Report } from "./harness/group.js";
import { seeded } from "./harness/random.js";
import { summarise } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";
import { writeLog } from "./realm/log.js";
import { inFolder } from "./realm/temporary.js";
import { START } from "./workload.js";

const SNAPSHOTS = 20;
const VISITS = 21;

/** A snapshot that cannot be used only costs time: the figure would be one of something else. */
function mustBeUsed(snapshot: SnapshotInfo, reason: string): never {
  throw new Error(`the snapshot at position ${snapshot.position} was not used: ${reason}`);
}

export async function run(scale: Scale, report: Report): Promise<void> {
  await inFolder(async (folder) => {
    const events = scale.pastEvents;
    const leases = Math.min(100_000, Math.ceil(events / 10));
    const store = await openSqliteStore({ dataDir: folder, realm: "bench" });
    const started = performance.now();
    await writeLog(store, { events, leases, order: "turns", batch: 1_024, snapshots: SNAPSHOTS });
    const written = (performance.now() - started) / 1_000;
    const snapshots = await store.snapshots();
    for (const { position } of snapshots) await rebuild(store, position, { skipped: mustBeUsed });
    const kept = snapshots.length;
    const realm = await Realm.open({ name: "bench", store, clock: () => START });
    const random = seeded(events);
    const visit = async (position: number): Promise<number> => {
      const start = performance.now();
      const { reader, release } = await realm.at({ position });
      reader.lease(reader.position);
      const spent = performance.now() - start;
      release();
      return spent;
    };
    const anywhere: number[] = [];
    for (let i = 0; i < VISITS; i++) anywhere.push(await visit(1 + Math.floor(random() * events)));
    report({
      name: `past.anywhere.events-${events}`,
      unit: "ms",
      figure: summarise(anywhere),
      ...(scale.name !== "tiny" && { budget: { limit: 250 } }),
      note: `${VISITS} random positions, ${leases} leases; ${SNAPSHOTS} snapshots were written, ${kept} are kept; the log took ${written.toFixed(0)} s to write`,
    });
    const recent: number[] = [];
    for (let i = 0; i < VISITS; i++) recent.push(await visit(events - Math.floor((random() * events) / SNAPSHOTS)));
    report({ name: `past.recent.events-${events}`, unit: "ms", figure: summarise(recent), ...(scale.name !== "tiny" && { budget: { limit: 250 } }), note: "positions in the last twentieth of the log" });
    await realm.close();
  });
}
