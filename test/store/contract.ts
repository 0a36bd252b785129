/** What every event store promises. Run by each store's own test file; what is special to one stays there. */
import { afterEach, describe } from "vitest";
import type { EventStore } from "#events/store.js";
import { appendContract } from "./contract/append.js";
import { damageContract } from "./contract/damage.js";
import { followContract } from "./contract/follow.js";
import type { LogHarness, MakeHarness } from "./contract/harness.js";
import { lifetimeContract } from "./contract/lifetime.js";
import { readContract } from "./contract/read.js";
import { snapshotContract } from "./contract/snapshot.js";

export function storeContract(name: string, make: MakeHarness): void {
  describe(`${name} store`, () => {
    const open: { log: LogHarness; store: EventStore }[] = [];
    afterEach(async () => {
      for (const { log, store } of open.splice(0)) {
        await store.close();
        await log.dispose();
      }
    });
    const opened = async (): Promise<EventStore> => {
      const log = await make();
      const store = await log.open();
      open.push({ log, store });
      return store;
    };
    appendContract(opened);
    readContract(opened);
    followContract(opened);
    lifetimeContract(make);
    snapshotContract(make);
    damageContract(make);
  });
}
