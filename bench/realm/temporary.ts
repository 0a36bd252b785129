/** Realms on a disk that are gone afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command, Envelope } from "#events/command.js";
import { Realm } from "#events/realm.js";
import { openSqliteStore } from "#events/sqlite-store.js";
import type { SnapshotInfo } from "#events/store.js";
import { defineEndpoint, definePool, START } from "../workload.js";

/** The benchmarks' clock stands still: what they measure is not how leases run out. */
export const ENVELOPE: Envelope = { now: START, actor: "nsm", correlation: "" };

/** A folder on the disk that TMPDIR names, removed when `work` has ended; TMPDIR must not be kept in memory. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(process.env["HOLDFAST_BENCH_DIR"] ?? tmpdir(), "holdfast-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The realm in `folder` on the embedded store, as the service opens it. */
export async function openRealm(folder: string, skipped?: (snapshot: SnapshotInfo, reason: string) => void): Promise<Realm> {
  const store = await openSqliteStore({ dataDir: folder, realm: "bench" });
  return Realm.open({ name: "bench", store, clock: () => START, reopenGraceSeconds: 0, ...(skipped && { skipped }) });
}

/** Submits in the benchmarks' name; throws at a refusal, which would make figures of nothing. */
export async function decided(realm: Realm, command: Command): Promise<void> {
  const outcome = await realm.submit(command, ENVELOPE);
  if (!outcome.ok) throw new Error(`the realm refused a command of the benchmark: ${JSON.stringify(outcome.refusal)}`);
}

/** The pool and the endpoint that requests name. */
export async function define(realm: Realm): Promise<void> {
  await decided(realm, definePool());
  await decided(realm, defineEndpoint());
}
