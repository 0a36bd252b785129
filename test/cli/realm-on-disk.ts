/** A realm in a temporary data directory, with a clock of its own: what the offline commands read. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsePrefix } from "#events/address.js";
import type { Prefix } from "#events/address.js";
import type { Command } from "#events/command.js";
import { Realm } from "#events/realm.js";
import { openSqliteStore } from "#events/sqlite-store.js";

export const startOfTime = Date.parse("2026-11-30T14:00:00Z");

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export class RealmOnDisk {
  now = startOfTime;
  private constructor(
    readonly dataDir: string,
    private readonly realm: Realm,
  ) {}

  static async open(dataDir: string, name = "default", now = startOfTime): Promise<RealmOnDisk> {
    const store = await openSqliteStore({ dataDir, realm: name, ballastBytes: 0 });
    let self: RealmOnDisk | undefined;
    const realm = await Realm.open({ name, store, clock: () => self?.now ?? now });
    self = new RealmOnDisk(dataDir, realm);
    self.now = now;
    return self;
  }

  async do(command: Command): Promise<void> {
    this.now += 1000;
    const outcome = await this.realm.submit(command, { now: this.now, actor: "test", correlation: "" });
    if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`);
  }

  request(client: string): Promise<void> {
    return this.do({
      kind: "request",
      endpoint: "nse",
      client: { name: client, id: `${client}-0` },
      connection: `${client}-connection`,
      reselect: false,
      knownOnly: false,
      excluded: [],
      items: [],
    });
  }

  snapshot(): Promise<unknown> {
    return this.realm.snapshot();
  }

  hash(): Promise<string> {
    return this.realm.read((reader) => reader.hash());
  }

  close(): Promise<void> {
    return this.realm.close();
  }
}

/** A pool, an endpoint, two clients, one of which leaves and comes back, and a pool that changes: 10 events. */
export async function writeStory(dataDir: string, name = "default"): Promise<string> {
  const realm = await RealmOnDisk.open(dataDir, name);
  const pool = {
    kind: "define-pool",
    pool: "p2p",
    mode: "pair",
    prefixes: [prefix("172.16.1.0/24")],
    reserved: [],
    leaseSeconds: 600,
    graceSeconds: 60,
    cooldownSeconds: 0,
    draining: false,
  } as const;
  await realm.do(pool);
  await realm.do({ kind: "define-endpoint", endpoint: "nse", chain: [["p2p"]], contextPolicy: "replace" });
  await realm.request("NSC-1");
  await realm.request("NSC-2");
  await realm.request("NSC-1");
  await realm.do({ kind: "close", endpoint: "nse", client: { name: "NSC-2", id: "NSC-2-0" }, connection: "NSC-2-connection" });
  await realm.do({ ...pool, reserved: [prefix("172.16.1.0/32")] });
  await realm.request("NSC-1");
  await realm.request("NSC-2");
  const hash = await realm.hash();
  await realm.close();
  return hash;
}

function prefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (parsed === undefined) throw new Error(`${text} is no prefix`);
  return parsed;
}
