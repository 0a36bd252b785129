/** `holdfast pool`: sets of prefixes, how full they are, and changing them on a running server. */
import type { Command } from "commander";
import type { PoolSettings } from "../../events/event.js";
import type { PoolView } from "../../events/realm-api.js";
import { countText } from "./count-text.js";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
import { atOption, several, wholeNumber } from "./options.js";
import { list } from "./pages.js";
import { remote, segment, serverOf, type RemoteFlags } from "./remote.js";
import type { Answer, ServerClient } from "./server-client.js";
import { fields, table } from "./table.js";
import type { Terminal } from "./terminal.js";

/** More pools than one realm may have. */
const poolsShownMax = 10_000;

interface DefineFlags extends RemoteFlags {
  readonly mode?: string;
  readonly prefix?: string[];
  /** false: --no-reserved. */
  readonly reserved?: string[] | false;
  readonly leaseSeconds?: number;
  readonly graceSeconds?: number;
  readonly cooldownSeconds?: number;
  readonly draining?: boolean;
  readonly ifRevision?: number;
}

export function addPool(program: Command, terminal: Terminal): void {
  const pool = program.command("pool").helpCommand(false).description("pools of addresses: list, show, define, drain, retire");

  remote(pool.command("list").description("list the pools and how full they are").addOption(atOption())).action(
    async (flags: RemoteFlags & { at?: string }) => {
      const found = await list<PoolView>(serverOf(flags), "/v1/pools", { at: flags.at }, poolsShownMax);
      if (flags.json === true) return terminal.json({ position: found.position, items: found.items });
      if (found.items.length === 0) return terminal.message("There are no pools. Define one with `holdfast pool define`.");
      terminal.data(poolTable(terminal, found.items));
    },
  );

  remote(
    pool
      .command("show")
      .description("show one pool, its settings and usage")
      .argument("<pool>", "name of the pool")
      .addOption(atOption()),
  ).action(async (name: string, flags: RemoteFlags & { at?: string }) => {
    const { body } = await serverOf(flags).get<PoolView>(`/v1/pools/${segment(name)}`, { at: flags.at });
    if (flags.json === true) return terminal.json(body);
    terminal.data(poolFields(terminal, body));
  });

  remote(
    pool
      .command("define")
      .description("define a pool, or change the settings given and leave the others as they are")
      .argument("<pool>", "name: letters, digits, dots, underscores, hyphens")
      .option("--mode <mode>", "pair (two addresses per client) or single (one)")
      .option("--prefix <prefix>", "prefix of the pool, like 172.16.1.0/24; repeat or separate by commas", several)
      .option("--reserved <address>", "address or prefix never to lease; repeat or separate by commas", several)
      .option("--no-reserved", "reserve nothing any more")
      .option("--lease-seconds <n>", "how long a lease lasts", wholeNumber(1))
      .option("--grace-seconds <n>", "how long an expired lease is kept", wholeNumber(0))
      .option("--cooldown-seconds <n>", "how long an ended lease's addresses rest", wholeNumber(0))
      .option("--draining", "keep the leases, give no new ones")
      .option("--no-draining", "give new leases again")
      .option("--if-revision <n>", "only if the pool has this revision; 0: only if it does not exist", wholeNumber(0)),
  ).action((name: string, flags: DefineFlags) => define(terminal, name, flags));

  remote(
    pool.command("drain").description("keep the leases of a pool and give no new ones").argument("<pool>", "name of the pool"),
  ).action(async (name: string, flags: RemoteFlags) => {
    const server = serverOf(flags);
    const before = await server.get<PoolView>(`/v1/pools/${segment(name)}`);
    const after = await change(server, name, before, { draining: true });
    if (flags.json === true) return terminal.json({ changed: !before.body.draining, ...after.body });
    if (before.body.draining) return terminal.message(`Pool ${name} is draining already.`);
    terminal.message(
      `Pool ${name} is draining: its ${after.body.usage.leases} leases stay, new clients get none. \`holdfast pool define ${name} --no-draining\` ends it.`,
    );
  });

  remote(
    pool
      .command("retire")
      .description("remove a pool that nobody uses")
      .argument("<pool>", "name of the pool")
      .option("--if-revision <n>", "only if the pool has this revision", wholeNumber(1)),
  ).action(async (name: string, flags: RemoteFlags & { ifRevision?: number }) => {
    const { position } = await serverOf(flags).delete(
      `/v1/pools/${segment(name)}`,
      flags.ifRevision === undefined ? undefined : { revision: String(flags.ifRevision) },
    );
    if (flags.json === true) return terminal.json({ pool: name, retired: true, position });
    terminal.message(`Pool ${name} is retired at position ${position}.`);
  });
}

async function define(terminal: Terminal, name: string, flags: DefineFlags): Promise<void> {
  const server = serverOf(flags);
  const given: Partial<PoolSettings> = {
    ...(flags.mode === undefined ? {} : { mode: flags.mode as PoolSettings["mode"] }),
    ...(flags.prefix === undefined ? {} : { prefixes: flags.prefix }),
    ...(flags.reserved === undefined ? {} : { reserved: flags.reserved === false ? [] : flags.reserved }),
    ...(flags.leaseSeconds === undefined ? {} : { leaseSeconds: flags.leaseSeconds }),
    ...(flags.graceSeconds === undefined ? {} : { graceSeconds: flags.graceSeconds }),
    ...(flags.cooldownSeconds === undefined ? {} : { cooldownSeconds: flags.cooldownSeconds }),
    ...(flags.draining === undefined ? {} : { draining: flags.draining }),
  };
  const before = flags.ifRevision === 0 ? undefined : await existing(server, name);
  let after: Answer<PoolView>;
  if (before === undefined) {
    if (given.mode === undefined || given.prefixes === undefined) {
      throw new CliFailure(
        exitCode.usage,
        `Pool ${name} does not exist yet, so it needs --mode and --prefix.`,
        `For example: holdfast pool define ${name} --mode pair --prefix 172.16.1.0/24`,
        { code: "usage" },
      );
    }
    const condition =
      flags.ifRevision === undefined || flags.ifRevision === 0 ? "absent" : { revision: String(flags.ifRevision) };
    after = await server.put<PoolView>(`/v1/pools/${segment(name)}`, given, condition);
  } else {
    after = await change(server, name, before, given, flags.ifRevision);
  }
  const changed = before?.body.revision !== after.body.revision;
  if (flags.json === true) return terminal.json({ created: before === undefined, changed, ...after.body });
  if (!changed) return terminal.message(`Pool ${name} is so already, since position ${after.body.revision}.`);
  terminal.message(`Pool ${name} is ${before === undefined ? "defined" : "changed"} at position ${after.body.revision}.`);
  const outside = after.body.usage.leasesOutside;
  if (outside > 0)
    terminal.message(`${outside} of its leases are outside the prefixes now; each moves at its client's next request.`);
}

/** Settings not in `given` stay; the revision read is the one that must still be there. */
function change(
  server: ServerClient,
  name: string,
  before: Answer<PoolView>,
  given: Partial<PoolSettings>,
  revision = before.body.revision,
): Promise<Answer<PoolView>> {
  const { mode, prefixes, reserved, leaseSeconds, graceSeconds, cooldownSeconds, draining } = before.body;
  const settings: PoolSettings = { mode, prefixes, reserved, leaseSeconds, graceSeconds, cooldownSeconds, draining, ...given };
  return server.put<PoolView>(`/v1/pools/${segment(name)}`, settings, { revision: String(revision) });
}

async function existing(server: ServerClient, name: string): Promise<Answer<PoolView> | undefined> {
  try {
    return await server.get<PoolView>(`/v1/pools/${segment(name)}`);
  } catch (error) {
    if (error instanceof CliFailure && error.facts["code"] === "not-found") return undefined;
    throw error;
  }
}

/** The pools and how full they are; also what `log at` shows. */
export function poolTable(terminal: Terminal, pools: readonly PoolView[]): string {
  return table(
    terminal,
    [
      { title: "POOL", cut: 12 },
      { title: "MODE" },
      { title: "PREFIXES", cut: 18 },
      { title: "LEASES", align: "right" },
      { title: "FREE", align: "right" },
      { title: "COOLING", align: "right" },
      { title: "NOTE", wrap: true },
    ],
    pools.map((pool) => [
      pool.pool,
      pool.mode,
      pool.prefixes.join(" "),
      String(pool.usage.leases),
      countText(pool.usage.free),
      String(pool.usage.cooling),
      noteOf(pool),
    ]),
  );
}

function noteOf(pool: PoolView): string {
  const notes: string[] = [];
  if (pool.draining) notes.push("draining");
  if (pool.usage.leasesOutside > 0) notes.push(`${pool.usage.leasesOutside} outside`);
  return notes.join(", ");
}

function poolFields(terminal: Terminal, pool: PoolView): string {
  const { usage } = pool;
  return fields(terminal, [
    ["pool", pool.pool],
    ["revision", String(pool.revision)],
    ["mode", pool.mode],
    ["prefixes", pool.prefixes.join(" ")],
    ["reserved", pool.reserved.length === 0 ? "none" : pool.reserved.join(" ")],
    ["lease", `${pool.leaseSeconds} s`],
    ["grace", `${pool.graceSeconds} s`],
    ["cool-down", `${pool.cooldownSeconds} s`],
    ["draining", pool.draining ? "yes: no new leases" : "no"],
    ["leases", String(usage.leases)],
    ["addresses", `${usage.addressesLeased} leased, ${countText(usage.free)} free, of ${countText(usage.size)}`],
    ["cooling", String(usage.cooling)],
    ["outside", `${usage.leasesOutside} leases outside the prefixes`],
  ]);
}
