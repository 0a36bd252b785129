/** `holdfast endpoint`: chains of pools, each group of which gives a client one lease. */
import { InvalidArgumentError, type Command } from "commander";
import type { EndpointView } from "../../events/realm-api.js";
import { atOption, wholeNumber } from "./options.js";
import { list } from "./pages.js";
import { remote, segment, serverOf, type RemoteFlags } from "./remote.js";
import type { Condition } from "./server-client.js";
import { fields, table } from "./table.js";
import type { Terminal } from "./terminal.js";

/** More endpoints than one realm may have. */
const endpointsShownMax = 100_000;

interface DefineFlags extends RemoteFlags {
  readonly group: string[][];
  readonly policy: string;
  readonly ifRevision?: number;
}

export function addEndpoint(program: Command, terminal: Terminal): void {
  const endpoint = program
    .command("endpoint")
    .helpCommand(false)
    .description("endpoints (NSEs) and their pools: list, show, define, retire");

  remote(endpoint.command("list").description("list the endpoints").addOption(atOption())).action(
    async (flags: RemoteFlags & { at?: string }) => {
      const found = await list<EndpointView>(serverOf(flags), "/v1/endpoints", { at: flags.at }, endpointsShownMax);
      if (flags.json === true) return terminal.json({ position: found.position, items: found.items });
      if (found.items.length === 0)
        return terminal.message("There are no endpoints. Define one with `holdfast endpoint define`.");
      terminal.data(
        table(
          terminal,
          [
            { title: "ENDPOINT", cut: 16 },
            { title: "POLICY" },
            { title: "REVISION", align: "right" },
            { title: "GROUPS", wrap: true },
          ],
          found.items.map((item) => [item.endpoint, item.contextPolicy, String(item.revision), groupsText(item.chain)]),
        ),
      );
    },
  );

  remote(
    endpoint
      .command("show")
      .description("show one endpoint")
      .argument("<endpoint>", "name of the endpoint")
      .addOption(atOption()),
  ).action(async (name: string, flags: RemoteFlags & { at?: string }) => {
    const { body } = await serverOf(flags).get<EndpointView>(`/v1/endpoints/${segment(name)}`, { at: flags.at });
    if (flags.json === true) return terminal.json(body);
    terminal.data(
      fields(terminal, [
        ["endpoint", body.endpoint],
        ["revision", String(body.revision)],
        ["policy", body.contextPolicy],
        ...body.chain.map((group, index) => [`group ${index + 1}`, group.join(", then ")] as const),
      ]),
    );
  });

  remote(
    endpoint
      .command("define")
      .description("define an endpoint, or give it another chain")
      .argument("<endpoint>", "name: letters, digits, dots, underscores, hyphens")
      .requiredOption(
        "--group <pools>",
        "pools in order of preference, comma separated; repeat for each lease a client gets",
        group,
      )
      .option("--policy <policy>", "replace: answers hold only live leases; append: as NSM does", "replace")
      .option("--if-revision <n>", "only if it has this revision; 0: only if it does not exist", wholeNumber(0)),
  ).action(async (name: string, flags: DefineFlags) => {
    const answer = await serverOf(flags).put<EndpointView>(
      `/v1/endpoints/${segment(name)}`,
      { chain: flags.group, contextPolicy: flags.policy },
      conditionOf(flags.ifRevision),
    );
    const created = answer.status === 201;
    if (flags.json === true) return terminal.json({ created, ...answer.body });
    terminal.message(
      created
        ? `Endpoint ${name} is defined at position ${answer.body.revision}.`
        : `Endpoint ${name} is so since position ${answer.body.revision}.`,
    );
  });

  remote(
    endpoint
      .command("retire")
      .description("remove an endpoint; its leases stay until they expire")
      .argument("<endpoint>", "name of the endpoint")
      .option("--if-revision <n>", "only if it has this revision", wholeNumber(1)),
  ).action(async (name: string, flags: RemoteFlags & { ifRevision?: number }) => {
    const { position } = await serverOf(flags).delete(`/v1/endpoints/${segment(name)}`, conditionOf(flags.ifRevision));
    if (flags.json === true) return terminal.json({ endpoint: name, retired: true, position });
    terminal.message(`Endpoint ${name} is retired at position ${position}.`);
  });
}

function conditionOf(revision: number | undefined): Condition | undefined {
  if (revision === undefined) return undefined;
  return revision === 0 ? "absent" : { revision: String(revision) };
}

function group(text: string, before: readonly string[][] | undefined): string[][] {
  const pools = text.split(",").map((part) => part.trim());
  if (pools.some((pool) => pool === ""))
    throw new InvalidArgumentError("It takes pool names with commas between them, like pool-a,pool-b.");
  return [...(before ?? []), pools];
}

function groupsText(chain: readonly (readonly string[])[]): string {
  return chain.map((pools) => `[${pools.join(", ")}]`).join(" ");
}
