import { describe, expect, it } from "vitest";
import { parsePrefix } from "#events/address.js";
import type { Prefix } from "#events/address.js";
import type { Command, DefinePool, Outcome, RequestAnswer, RequestLease } from "#events/command.js";
import { Core } from "#events/core.js";
import { refusalRule } from "#host/refusal-rules.js";

/** The core's own limits, at the limit and one beyond. docs/limits.md has their reasons. */
const start = Date.UTC(2026, 0, 1);
const year = 31_536_000;

function prefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed) throw new Error(text);
  return parsed;
}
/** Hosts from a number on, each by itself. */
const hosts = (first: number, count: number): Prefix[] =>
  Array.from({ length: count }, (_, i) => ({ address: { family: 4, value: first + i }, length: 32 }));
const ten = 0x0a00_0000;

const pool = (name: string, more: Partial<DefinePool> = {}): DefinePool => ({
  kind: "define-pool",
  pool: name,
  mode: "pair",
  prefixes: [prefix("10.0.0.0/8")],
  reserved: [],
  leaseSeconds: 600,
  graceSeconds: 0,
  cooldownSeconds: 0,
  draining: false,
  ...more,
});
const endpoint = (name: string, chain: readonly (readonly string[])[]): Command => ({ kind: "define-endpoint", endpoint: name, chain, contextPolicy: "replace" });
const ask = (name: string, more: Partial<RequestLease> = {}): RequestLease => ({
  kind: "request",
  endpoint: "nse",
  client: { name, id: "0" },
  connection: "c",
  reselect: false,
  knownOnly: false,
  excluded: [],
  items: [],
  ...more,
});

class Realm {
  readonly core = Core.create();
  now = start;

  /** Decides commands and makes them final. */
  all(commands: readonly Command[]): Outcome[] {
    const { outcomes } = this.core.submit(commands.map((command) => ({ command, envelope: { now: this.now, actor: "test", correlation: "" } })));
    this.core.commit(commands.length);
    return outcomes;
  }

  /** "ok", or code and rule of the refusal. */
  one(command: Command): string {
    const outcome = this.all([command])[0]!;
    return outcome.ok ? "ok" : `${outcome.refusal.code} ${refusalRule(outcome.refusal.rule).name}`;
  }
}

function realm(): Realm {
  const opened = new Realm();
  opened.all([pool("p"), endpoint("nse", [["p"]])]);
  return opened;
}

describe("the core takes what is at a limit and refuses one more", () => {
  it.each<[string, (more: number) => Command, string]>([
    ["64 bytes of a pool's name", (more) => pool("n".repeat(64 + more), { prefixes: [prefix("192.168.0.0/24")] }), "invalid name"],
    ["256 prefixes of a pool", (more) => pool("q", { prefixes: hosts(0xc0a8_0000, 256 + more) }), "too-large prefixes-count"],
    ["1024 reserved prefixes of a pool", (more) => pool("p", { reserved: hosts(ten, 1024 + more) }), "too-large reserved-count"],
    ["a year of lease", (more) => pool("p", { leaseSeconds: year + more }), "invalid seconds"],
    ["a year of grace", (more) => pool("p", { graceSeconds: year + more }), "invalid seconds"],
    ["a year of cool-down", (more) => pool("p", { cooldownSeconds: year + more }), "invalid seconds"],
    ["255 bytes of a client's name", (more) => ask("n".repeat(255 + more)), "invalid identity"],
    ["255 bytes of a client's id", (more) => ask("n", { client: { name: "n", id: "i".repeat(255 + more) } }), "invalid identity"],
    ["255 bytes of a connection's id", (more) => ask("n", { connection: "c".repeat(255 + more) }), "invalid identity"],
    ["16384 excluded prefixes", (more) => ask("n", { excluded: hosts(ten, 16_384 + more) }), "too-large excluded-count"],
    [
      "1024 addresses in a context",
      (more) => ask("n", { items: hosts(0x0b00_0000, 1024 + more).map(({ address }) => ({ place: "src-address", address, length: 32 })) }),
      "too-large items-count",
    ],
  ])("%s", (_, command, refusal) => {
    expect(realm().one(command(0))).toBe("ok");
    expect(realm().one(command(1))).toBe(refusal);
  });

  it.each([
    ["16 groups of a chain", 16, 1],
    ["16 pools of a group", 1, 16],
  ])("%s", (_, groups, pools) => {
    const names = Array.from({ length: 17 }, (_, i) => `p${i}`);
    const opened = new Realm();
    opened.all(names.map((name, i) => pool(name, { prefixes: [prefix(`10.${i}.0.0/16`)] })));
    const chain = (more: number): string[][] => (groups === 16 ? names.slice(0, 16 + more).map((name) => [name]) : [names.slice(0, 16 + more)]);
    expect(chain(0).flat().length).toBe(groups * pools);
    expect(opened.one(endpoint("e", chain(0)))).toBe("ok");
    expect(opened.one(endpoint("f", chain(1)))).toBe("invalid chain-size");
  });

  it("4096 pools of a realm, and another one when one has gone", () => {
    const opened = new Realm();
    const of = (i: number): Command => pool(`p${i}`, { prefixes: hosts(ten + 2 * i, 1) });
    for (const outcome of opened.all(Array.from({ length: 4096 }, (_, i) => of(i)))) expect(outcome.ok).toBe(true);
    expect(opened.one(of(4096))).toBe("too-large pools-count");
    expect(opened.one({ kind: "retire-pool", pool: "p7" })).toBe("ok");
    expect(opened.one(of(4096))).toBe("ok");
  });

  it("65535 names of endpoints ever used in a realm", () => {
    const opened = new Realm();
    opened.all([pool("p")]);
    for (let done = 0; done < 65_535; done += 4369) {
      const outcomes = opened.all(Array.from({ length: 4369 }, (_, i) => endpoint(`e${done + i}`, [["p"]])));
      expect(outcomes.every(({ ok }) => ok)).toBe(true);
    }
    expect(opened.one(endpoint("more", [["p"]]))).toBe("too-large endpoints-count");
    // A name stays known when its endpoint has gone, because leases may still name it.
    expect(opened.one({ kind: "retire-endpoint", endpoint: "e7" })).toBe("ok");
    expect(opened.one(endpoint("more", [["p"]]))).toBe("too-large endpoints-count");
    expect(opened.one(endpoint("e7", [["p"]]))).toBe("ok");
  });
});

/** That many clients with a lease that has run out, in a realm of one /8. */
function ranOut(clients: number): Realm {
  const opened = new Realm();
  opened.all([pool("p", { leaseSeconds: 1 }), endpoint("nse", [["p"]])]);
  for (let done = 0; done < clients; done += 8192) {
    opened.all(Array.from({ length: Math.min(8192, clients - done) }, (_, i) => ask(`n${done + i}`)));
  }
  opened.now += 2000;
  return opened;
}

describe("limits that do not refuse", () => {
  it("one look for expired leases ends 16384 and says that there are more", () => {
    const opened = ranOut(16_385);
    expect(opened.all([{ kind: "expire", limit: 100_000 }])).toMatchObject([{ answer: { expired: 16_384, more: true } }]);
    expect(opened.all([{ kind: "expire", limit: 100_000 }])).toMatchObject([{ answer: { expired: 1, more: false } }]);
  });

  it("1048576 ended leases are remembered; the one that ended first is forgotten for the next", () => {
    const most = 1_048_576;
    const opened = ranOut(most + 1);
    for (let more = true; more; ) more = (opened.all([{ kind: "expire", limit: 16_384 }])[0] as { answer: { more: boolean } }).answer.more;
    const outcomeOf = (name: string): string => {
      const outcome = opened.all([ask(name, { connection: "another" })])[0]!;
      return (outcome as { answer: RequestAnswer }).answer.leases[0]!.outcome;
    };
    expect(outcomeOf("n1")).toBe("regranted");
    expect(outcomeOf("n0")).toBe("granted");
    expect(outcomeOf(`n${most}`)).toBe("regranted");
  });
});
