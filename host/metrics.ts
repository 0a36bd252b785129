/**
 * What is counted and shown at /metrics. Names start with `holdfast_`, times are seconds. Pool numbers are
 * read from the realm when somebody scrapes, everything else is counted as it happens.
 */
import { Gauge, Registry, collectDefaultMetrics } from "prom-client";
import type { PoolView, RealmApi, RealmMetrics } from "../events/realm-api.js";
import { problemCodes } from "./problem.js";
import { Counter, Histogram } from "./tally.js";

const secondsBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

/** How many pools one scrape lists at most; beyond, the rest is only in /v1/pools. */
const poolsMax = 4096;
const poolPage = 256;

export class Metrics implements RealmMetrics {
  readonly registry = new Registry();
  /** Duration of HTTP requests by route template, so that names in paths make no new series. */
  readonly http = new Histogram(this.registry, "holdfast_http_request_seconds", "Time to answer an HTTP request.", secondsBounds, "route");
  readonly responses = new Counter(this.registry, "holdfast_http_responses_total", "HTTP responses by status.", "status");
  readonly grant = new Histogram(
    this.registry,
    "holdfast_grant_seconds",
    "Time from a parsed request to its durable answer.",
    secondsBounds,
  );
  readonly outcomes = new Counter(this.registry, "holdfast_lease_outcomes_total", "Answered leases by outcome.", "outcome", [
    "granted",
    "regranted",
    "claimed",
    "renewed",
    "restored",
    "moved",
  ]);
  readonly problems = new Counter(this.registry, "holdfast_refusals_total", "Refused requests by code.", "code", problemCodes);
  readonly expired = new Counter(this.registry, "holdfast_timer_leases_total", "Leases the timer ended or cooled.", "kind", [
    "expired",
    "cooled",
  ]);
  readonly #commitCommands = new Histogram(this.registry, "holdfast_commit_commands", "Commands in one durable append.", sizeBounds);
  readonly #commitEvents = new Histogram(this.registry, "holdfast_commit_events", "Events in one durable append.", sizeBounds);
  readonly #commitBytes = new Counter(this.registry, "holdfast_commit_bytes_total", "Bytes appended to the log.", "log", ["realm"]);
  readonly #sync = new Histogram(this.registry, "holdfast_commit_sync_seconds", "Time of the durable write of one append.", secondsBounds);
  readonly watchers = new Gauge({ name: "holdfast_watchers", help: "Open event streams.", registers: [this.registry] });
  /** Position the replay has reached while the realm opens. */
  readonly replayed = new Gauge({ name: "holdfast_replay_position", help: "Position the replay reached.", registers: [this.registry] });

  constructor(realm: () => RealmApi | undefined, options: { readonly process?: boolean } = {}) {
    if (options.process === true) collectDefaultMetrics({ register: this.registry });
    const gauge = (name: string, help: string, labelNames: readonly string[], collect: (gauge: Gauge) => void | Promise<void>): void => {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [this.registry],
        async collect() {
          this.reset();
          await collect(this);
        },
      });
    };
    gauge("holdfast_ready", "1 when the realm answers, 0 while it recovers or has failed.", [], (g) =>
      g.set(realm()?.state === "ready" ? 1 : 0),
    );
    gauge("holdfast_head_position", "Position of the newest event.", [], (g) => g.set(realm()?.head().position ?? 0));
    gauge("holdfast_store_free_bytes", "Room left for the log.", [], (g) => {
      const bytes = realm()?.room().freeBytes;
      if (bytes !== undefined && Number.isFinite(bytes)) g.set(bytes);
    });
    const poolGauge = (name: string, help: string, value: (pool: PoolView) => number): void =>
      gauge(name, help, ["pool"], async (g) => {
        for (const pool of await allPools(realm())) g.set({ pool: pool.pool }, value(pool));
      });
    poolGauge("holdfast_pool_addresses", "Addresses in the pool's prefixes.", (pool) => Number(pool.usage.size));
    poolGauge("holdfast_pool_addresses_free", "Addresses free to lease now.", (pool) => Number(pool.usage.free));
    poolGauge("holdfast_pool_addresses_leased", "Addresses in live leases.", (pool) => pool.usage.addressesLeased);
    poolGauge("holdfast_pool_leases", "Live leases.", (pool) => pool.usage.leases);
    poolGauge("holdfast_pool_leases_outside", "Live leases outside the present prefixes.", (pool) => pool.usage.leasesOutside);
    poolGauge("holdfast_pool_leases_cooling", "Ended leases whose addresses still cool down.", (pool) => pool.usage.cooling);
  }

  onCommit(batch: { commands: number; events: number; bytes: number; syncMs: number }): void {
    this.#commitCommands.of("").observe(batch.commands);
    this.#commitEvents.of("").observe(batch.events);
    this.#commitBytes.add("realm", batch.bytes);
    this.#sync.of("").observe(batch.syncMs / 1000);
  }
}

async function allPools(realm: RealmApi | undefined): Promise<readonly PoolView[]> {
  if (realm === undefined || realm.state !== "ready") return [];
  return realm.read((reader) => {
    const pools: PoolView[] = [];
    let after: string | undefined;
    do {
      const page = reader.pools(after, poolPage);
      pools.push(...page.items);
      after = page.next;
    } while (after !== undefined && pools.length < poolsMax);
    return pools;
  });
}
