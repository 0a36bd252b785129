/** From configuration to an open realm: which store, how large, and who hears how far the replay is. */
import { openMemoryStore } from "../events/memory-store.js";
import { Realm } from "../events/realm.js";
import type { RealmApi, RealmMetrics } from "../events/realm-api.js";
import { openSqliteStore } from "../events/sqlite-store.js";
import type { EventStore, SnapshotInfo } from "../events/store.js";
import type { Config } from "./config/keys.js";

export interface OpenParts {
  readonly clock: () => number;
  readonly metrics: RealmMetrics;
  readonly progress: (position: number, head: number) => void;
  readonly skipped: (snapshot: SnapshotInfo, reason: string) => void;
}

/** Rejects with `StoreError` (`locked`, `corrupt`, `unavailable`); the log is closed again then. */
export async function openRealm(config: Config, parts: OpenParts): Promise<RealmApi> {
  const store = await openStore(config);
  try {
    return await Realm.open({ name: config.realm, store, reopenGraceSeconds: config.reopenGraceSeconds, ...parts });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function openStore(config: Config): Promise<EventStore> {
  if (config.store === "memory") return openMemoryStore();
  return openSqliteStore({ dataDir: config.dataDir, realm: config.realm, lowBytes: config.roomLowBytes });
}
