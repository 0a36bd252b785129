/** Opening a realm: from its log, and from a snapshot and the events behind it. */
import type { Report } from "./harness/group.js";
import { repeat } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";
import { openSqliteStore } from "#events/sqlite-store.js";
import type { SnapshotInfo } from "#events/store.js";
import { writeLog } from "./realm/log.js";
import { decided, inFolder, openRealm } from "./realm/temporary.js";
import { request } from "./workload.js";

/** A snapshot that cannot be used only costs time: the figure would be one of something else. */
function mustBeUsed(snapshot: SnapshotInfo, reason: string): never {
  throw new Error(`the snapshot at position ${snapshot.position} was not used: ${reason}`);
}

async function timeOpening(folder: string): Promise<number> {
  const start = performance.now();
  const realm = await openRealm(folder, mustBeUsed);
  const seconds = (performance.now() - start) / 1_000;
  await realm.close();
  return seconds;
}

export async function run(scale: Scale, report: Report): Promise<void> {
  const repetitions = Math.min(scale.repetitions, 5);
  for (const leases of scale.openLeases) {
    await inFolder(async (folder) => {
      const store = await openSqliteStore({ dataDir: folder, realm: "bench" });
      await writeLog(store, { events: leases + 3, leases, order: "turns", batch: 256 });
      await store.close();
      report({ name: `open.log.leases-${leases}`, unit: "s", figure: await repeat(repetitions, () => timeOpening(folder)), note: "every event replayed" });

      const realm = await openRealm(folder, mustBeUsed);
      await realm.snapshot();
      // The tail: one lease in a hundred is renewed before the realm goes down.
      const tail = Array.from({ length: Math.ceil(leases / 100) }, (_, i) => request(i * 100));
      await Promise.all(tail.map((one) => decided(realm, one)));
      await realm.close();
      report({
        name: `open.snapshot.leases-${leases}`,
        unit: "s",
        figure: await repeat(repetitions, () => timeOpening(folder)),
        ...(leases === 1_000_000 && { budget: { limit: 1 } }),
        note: `snapshot and ${tail.length} events behind it`,
      });
    });
  }
}
