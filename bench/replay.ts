/** The log from disk through the core: how fast a state is rebuilt without snapshots. */
import { rebuild } from "#events/replay.js";
import { Core } from "#events/core.js";
import { openSqliteStore } from "#events/sqlite-store.js";
import type { Report } from "./harness/group.js";
import { repeat } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";
import { writeLog } from "./realm/log.js";
import { inFolder } from "./realm/temporary.js";

/** Events in one row of the log: what 256 callers make. */
const BATCH = 256;

export async function run(scale: Scale, report: Report): Promise<void> {
  for (const order of ["turns", "random"] as const) await inFolder((folder) => measure(folder, order, scale, report));
}

async function measure(folder: string, order: "turns" | "random", scale: Scale, report: Report): Promise<void> {
  const events = scale.replayEvents;
  const store = await openSqliteStore({ dataDir: folder, realm: "bench" });
  const hash = (await writeLog(store, { events, leases: Math.ceil(events / 10), order, batch: BATCH })).hash();
  const perSecond = (start: number): number => events / ((performance.now() - start) / 1_000);
  const shape = order === "turns" ? "renewals in turns, as clients' timers make them" : "renewals in random order, which no cache helps";

  report({
    name: `replay.${order}.read-and-apply`,
    unit: "events/s",
    figure: await repeat(scale.repetitions, async () => {
      const start = performance.now();
      const core = await rebuild(store, events, { fromStart: true });
      const rate = perSecond(start);
      if (core.hash() !== hash) throw new Error("the replayed state is not the state that was live");
      return rate;
    }),
    budget: { limit: 10_000_000 },
    note: `${events} events, a tenth of them grants, ${BATCH} in a row of the log; ${shape}`,
  });

  if (order === "turns") {
    report({
      name: "replay.read-only",
      unit: "events/s",
      figure: await repeat(scale.repetitions, async () => {
        const start = performance.now();
        let seen = 0;
        for await (const batch of store.read(1)) seen += batch.count;
        if (seen !== events) throw new Error(`${seen} of ${events} events were read`);
        return perSecond(start);
      }),
      note: "the store's part: pages from its thread, checked",
    });
  }

  const bodies: Uint8Array[] = [];
  for await (const batch of store.read(1)) bodies.push(batch.body);
  report({
    name: `replay.${order}.apply-only`,
    unit: "events/s",
    figure: await repeat(scale.repetitions, () => {
      const core = Core.create();
      const start = performance.now();
      for (const body of bodies) core.apply(body);
      return perSecond(start);
    }),
    note: "the core's part: records that are in memory already",
  });
  await store.close();
}
