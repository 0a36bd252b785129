/** `holdfast log at`: pools and leases as they were at a position or time, and the hash of that state. */
import type { LeaseFilter, LeaseView, RealmReader } from "../../events/realm-api.js";
import { positionOfTime, rebuild } from "../../events/replay.js";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
import { leaseTable } from "./lease.js";
import { withLog } from "./log-open.js";
import { poolTable } from "./pool.js";
import { Progress } from "./progress.js";
import { fields } from "./table.js";
import { toMillisecond } from "./time-text.js";
import type { Terminal } from "./terminal.js";

export interface AtFlags {
  readonly pool?: string;
  readonly client?: string;
  readonly address?: string;
  /** Ended leases too: they are remembered for their clients, and hold nothing. */
  readonly ended?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

/** Leases read at once. */
const pageItems = 1000;
/** More pools and endpoints than one realm may have. */
const namesMax = 100_000;

export async function showMoment(
  terminal: Terminal,
  moment: string,
  flags: AtFlags & Readonly<Record<string, unknown>>,
): Promise<void> {
  await withLog(flags, terminal, async (log) => {
    const head = log.head().position;
    const time = /^\d+$/.test(moment) ? undefined : Date.parse(moment);
    if (time !== undefined && time > Date.now())
      throw new CliFailure(exitCode.usage, `${moment} lies in the future; nobody knows the state then.`, "", { code: "usage" });
    const position = time === undefined ? Number(moment) : await positionOfTime(log, time);
    if (position > head)
      throw new CliFailure(exitCode.usage, `Position ${position} is above the head of the log, which is ${head}.`, "", {
        code: "usage",
        head,
      });
    const progress = new Progress(terminal, "replaying", position, "events");
    const core = await rebuild(log, position, { progress: (reached) => progress.reached(reached) }).finally(() =>
      progress.done(),
    );
    const reader = core.reader(time ?? core.lastTime);
    const { items, more } = chosenLeases(reader, flags);
    const pools = reader.pools(undefined, namesMax).items;
    const stateHash = core.hash();
    const at = position === 0 ? undefined : new Date(core.lastTime).toISOString();
    if (flags.json === true) {
      return terminal.json({
        position,
        ...(at === undefined ? {} : { time: at }),
        stateHash,
        pools,
        endpoints: reader.endpoints(undefined, namesMax).items,
        leases: items,
        more,
      });
    }
    terminal.data(
      fields(terminal, [
        ["position", `${position} of ${head}`],
        ["last event", at === undefined ? "none" : `${toMillisecond(at)} UTC`],
        ["state hash", stateHash],
      ]),
    );
    if (pools.length > 0) terminal.data(`\n${poolTable(terminal, pools)}`);
    if (items.length > 0) terminal.data(`\n${leaseTable(terminal, items)}`);
    else terminal.message("\nNo lease matches.");
    if (more) terminal.message("There are more leases: raise --limit.");
  });
}

function chosenLeases(reader: RealmReader, flags: AtFlags): { items: LeaseView[]; more: boolean } {
  const filter: LeaseFilter = {
    ...(flags.pool === undefined ? {} : { pool: flags.pool }),
    ...(flags.address === undefined ? {} : { address: flags.address }),
  };
  const items: LeaseView[] = [];
  let after: string | undefined;
  do {
    const page = reader.leases(filter, after, pageItems);
    for (const lease of page.items) {
      if (lease.state === "ended" && flags.ended !== true) continue;
      if (flags.client !== undefined && lease.client.name !== flags.client && lease.client.id !== flags.client) continue;
      if (items.length === flags.limit) return { items, more: true };
      items.push(lease);
    }
    after = page.next;
  } while (after !== undefined);
  return { items, more: false };
}
