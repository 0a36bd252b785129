/**
 * A log opened anew in this process, behind the same HTTP routes as a server but without a socket: what the demo
 * uses where two dozen server processes would take too long.
 */
import { pino } from "pino";
import { Realm } from "../../events/realm.js";
import { openSqliteStore } from "../../events/sqlite-store.js";
import { createApp } from "../app.js";
import { Metrics } from "../metrics.js";
import type { Service } from "./every-order.js";

/** As in the demo's server. */
const realmName = "demo";

export async function reopen(dataDir: string): Promise<Service> {
  const store = await openSqliteStore({ dataDir, realm: realmName, ballastBytes: 0 });
  let realm: Realm;
  try {
    realm = await Realm.open({ name: realmName, store });
  } catch (error) {
    await store.close();
    throw error;
  }
  const app = createApp({
    realm,
    clock: Date.now,
    config: { realm: realmName, tokens: [], bodyLimitBytes: 1024 * 1024, batchLimit: 1 },
    log: pino({ level: "silent" }),
    metrics: new Metrics(() => realm),
  });
  return {
    door: async (method, path, body) => {
      const response = await app.request(path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      const answer = (await response.json()) as { detail?: string };
      if (!response.ok) throw new Error(`${method} ${path} was refused: ${answer.detail ?? String(response.status)}`);
      return answer;
    },
    end: () => realm.close(),
  };
}
