/** The things measured. Each has a module that exports `run`, which reports its rows one by one. */
import type { Row } from "./row.js";
import type { Scale } from "./scale.js";

export type Report = (row: Row) => void;
export type Run = (scale: Scale, report: Report) => Promise<void>;

export interface Group {
  readonly module: string;
  /** One line: what is timed. */
  readonly measures: string;
  /** The group's process is ended after this time; what it reported until then is kept. */
  readonly limitSeconds: number;
}

/** In the order they run. */
export const groups: Readonly<Record<string, Group>> = {
  "wasm-size": { module: "../wasm-size.js", measures: "bytes of the core", limitSeconds: 20 },
  grant: { module: "../grant.js", measures: "one pair in the core, by live leases and excluded prefixes", limitSeconds: 300 },
  "heal-storm": { module: "../heal-storm.js", measures: "all clients return in random order, in the core and durable", limitSeconds: 180 },
  expire: { module: "../expire.js", measures: "one timer tick over many due leases", limitSeconds: 90 },
  memory: { module: "../memory.js", measures: "linear memory a lease takes", limitSeconds: 90 },
  "durable-grant": { module: "../durable-grant.js", measures: "grants in process, each answered once it is on disk", limitSeconds: 240 },
  http: { module: "../http.js", measures: "grants over HTTP beside a route that only parses and answers", limitSeconds: 300 },
  replay: { module: "../replay.js", measures: "the log from disk through the core", limitSeconds: 180 },
  open: { module: "../open.js", measures: "a realm opened with and without a snapshot", limitSeconds: 300 },
  past: { module: "../past.js", measures: "state at any position of a long log", limitSeconds: 420 },
};

/** Loads and runs one group in this process. */
export async function runGroup(name: string, scale: Scale, report: Report): Promise<void> {
  const group = groups[name];
  if (group === undefined) throw new Error(`no group "${name}"; there are ${Object.keys(groups).join(", ")}`);
  const { run } = (await import(group.module)) as { run: Run };
  await run(scale, report);
}
