/** `holdfast lease`: who has which addresses, now or at an earlier moment, and taking one away. */
import { Option, type Command } from "commander";
import type { LeaseView } from "../../events/realm-api.js";
import { clientText } from "./event-line.js";
import { atOption, wholeNumber } from "./options.js";
import { list } from "./pages.js";
import { Progress } from "./progress.js";
import { remote, segment, serverOf, type RemoteFlags } from "./remote.js";
import { fields, table } from "./table.js";
import { toSecond } from "./time-text.js";
import type { Terminal } from "./terminal.js";

/** A screen or two; more is asked for. */
const leasesShownDefault = 100;

interface ListFlags extends RemoteFlags {
  readonly pool?: string;
  readonly client?: string;
  readonly address?: string;
  readonly state?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly at?: string;
}

export function addLease(program: Command, terminal: Terminal): void {
  const lease = program.command("lease").helpCommand(false).description("leases, who has what: list, show, release");

  remote(
    lease
      .command("list")
      .description("list leases, oldest first")
      .option("--pool <pool>", "only of this pool")
      .option("--client <client>", "only of clients with this name or id")
      .option("--address <address>", "only the one that holds this address")
      .addOption(new Option("--state <state>", "only in this state").choices(["live", "expired", "ended", "cooling"]))
      .option("--limit <n>", "at most this many", wholeNumber(1), leasesShownDefault)
      .option("--cursor <cursor>", "go on where the list before ended")
      .addOption(atOption()),
  ).action((flags: ListFlags) => showLeases(terminal, flags));

  remote(
    lease
      .command("show")
      .description("show one lease")
      .argument("<lease>", "number of the lease", leaseNumber)
      .addOption(atOption()),
  ).action(async (id: string, flags: RemoteFlags & { at?: string }) => {
    const { body } = await serverOf(flags).get<LeaseView>(`/v1/leases/${segment(id)}`, { at: flags.at });
    if (flags.json === true) return terminal.json(body);
    terminal.data(
      fields(terminal, [
        ["lease", String(body.lease)],
        ["client name", body.client.name],
        ["client id", body.client.id],
        ["endpoint", body.endpoint],
        ["pool", body.pool],
        ["dst (NSE)", body.dst],
        ["src (client)", body.src],
        ["state", body.state],
        ["expires", `${toSecond(body.expiresAt)} UTC`],
      ]),
    );
  });

  remote(
    lease
      .command("release")
      .description("take a lease away from its client")
      .argument("<lease>", "number of the lease", leaseNumber),
  ).action(async (id: string, flags: RemoteFlags) => {
    const { position } = await serverOf(flags).delete(`/v1/leases/${segment(id)}`);
    if (flags.json === true) return terminal.json({ lease: Number(id), released: true, position });
    terminal.message(
      `Lease ${id} is released at position ${position}. Its client gets the same addresses back if it asks before somebody else does.`,
    );
  });
}

async function showLeases(terminal: Terminal, flags: ListFlags): Promise<void> {
  const progress = new Progress(terminal, "reading", flags.limit, "leases");
  const query = { pool: flags.pool, client: flags.client, address: flags.address, state: flags.state, at: flags.at };
  const found = await list<LeaseView>(serverOf(flags), "/v1/leases", query, flags.limit, flags.cursor, (items) =>
    progress.reached(items),
  ).finally(() => progress.done());
  if (flags.json === true)
    return terminal.json({
      position: found.position,
      items: found.items,
      ...(found.next === undefined ? {} : { next: found.next }),
    });
  if (found.items.length === 0) return terminal.message("No lease matches.");
  terminal.data(leaseTable(terminal, found.items));
  if (found.next !== undefined) terminal.message(`There are more: go on with --cursor ${found.next}, or raise --limit.`);
}

/** Who has what; also what `log at` shows. */
export function leaseTable(terminal: Terminal, leases: readonly LeaseView[]): string {
  return table(
    terminal,
    [
      { title: "LEASE", align: "right" },
      { title: "CLIENT", cut: 10 },
      { title: "POOL", cut: 6 },
      { title: "DST" },
      { title: "SRC" },
      { title: "STATE" },
      { title: "EXPIRES (UTC)" },
    ],
    leases.map((lease) => [
      String(lease.lease),
      clientText(lease.client),
      lease.pool,
      lease.dst,
      lease.src,
      lease.state,
      toSecond(lease.expiresAt),
    ]),
  );
}

function leaseNumber(text: string): string {
  return String(wholeNumber(1)(text));
}
