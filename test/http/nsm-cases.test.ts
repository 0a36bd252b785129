/**
 * The shared NSM cases about chains of address pairs and single addresses, played through the HTTP door in
 * the messages NSM sends. What the core decides is tested beside it; here it is the reading and composing.
 */
import { describe, expect, test } from "vitest";
import { hasHostBits, formatPrefix, maskPrefix, parsePrefix } from "#events/address.js";
import { coreCases } from "../model/case-file.js";
import type { Case, Step } from "../model/case-file.js";
import { must, openWorld } from "./world.js";
import type { Answer, World } from "./world.js";

const cases = coreCases().filter(({ setup }) => setup.chain !== undefined);

/** Plays one case; each connection is a client of its own, as in the cases. */
class Player {
  readonly #answers = new Map<string, Record<string, unknown>>();
  #ids = 0;

  constructor(
    readonly world: World,
    readonly played: Case,
  ) {}

  async play(): Promise<void> {
    await this.#define();
    for (const step of this.played.steps) {
      this.world.clock.now += 1000;
      if (step.do === "request") await this.#request(step);
      else if (step.do === "close") await must(this.world.send("POST", "/v1/endpoints/nse/close", this.#connection(step)));
      else throw new Error(`cannot play ${step.do}`);
    }
  }

  async #define(): Promise<void> {
    const groups = (this.played.setup.chain ?? []).flatMap(({ element, prefixes, groups: inner, inner: kind }) =>
      (inner ?? [prefixes ?? []]).map((list) => ({ list, mode: element === "singlepoint" || kind === "singlepoint" ? "single" : "pair" })),
    );
    for (const [index, { list, mode }] of groups.entries()) {
      const prefixes = list.map((text) => {
        const prefix = parsePrefix(text);
        if (prefix === undefined) throw new Error(`${text} is no prefix`);
        return hasHostBits(prefix) ? formatPrefix(maskPrefix(prefix)) : text;
      });
      const answer = await this.world.send("PUT", `/v1/pools/pool-${index}`, { mode, prefixes });
      // An element without prefixes cannot be configured here; its requests fail as they do in NSM.
      expect(answer.status).toBe(prefixes.length === 0 ? 400 : 201);
    }
    if (groups.every(({ list }) => list.length > 0))
      await must(this.world.send("PUT", "/v1/endpoints/nse", { chain: groups.map((_, index) => [`pool-${index}`]) }));
    if (this.played.suite === "nsmgr") {
      // What the first endpoint of the reselect case issued is known here only if it was issued here.
      await must(this.world.send("PUT", "/v1/pools/before", { mode: "pair", prefixes: ["100.100.100.100/30"] }));
      await must(this.world.send("PUT", "/v1/endpoints/before", { chain: [["before"]] }));
      await must(this.world.send("POST", "/v1/endpoints/before/request", { connection: { id: "before" } }));
    }
  }

  async #request(step: Step): Promise<void> {
    const connection = this.#connection(step);
    const answer = await this.world.send("POST", "/v1/endpoints/nse/request", { connection, mechanism_preferences: [] });
    if (step.next_element_fails === true) {
      await must(Promise.resolve(answer));
      await must(this.world.send("POST", "/v1/endpoints/nse/cancel", answer.body));
      return;
    }
    const wanted = { ...step.expect, ...step.desired };
    expect(answer.status === 200, answer.text).toBe(wanted.ok);
    if (answer.status !== 200) return;
    this.#answers.set(step.as ?? String(connection["id"]), answer.body as Record<string, unknown>);
    if (step.desired === undefined || step.desired.ip_context !== undefined)
      expect(wireNames(answer)).toMatchObject(wanted.ip_context ?? {});
  }

  #connection(step: Step): Record<string, unknown> {
    const { connection } = step;
    const base =
      typeof connection === "string" ? this.#answer(connection.slice("$response:".length)) : { id: this.#id(connection?.id ?? "$unique") };
    if (step.set_ip_context === undefined) return base;
    const context = (base["context"] as { ipContext?: object } | undefined)?.ipContext;
    return { ...base, context: { ip_context: { ...snake(context ?? {}), ...step.set_ip_context } } };
  }

  #id(id: string): string {
    if (id === "$unique") return `connection-${this.#ids++}`;
    if (id.startsWith("$id:")) return String(this.#answer(id.slice(4))["id"]);
    // NSM's own tests leave the id out now and then; on the way a connection always has one.
    return id === "" ? "given-on-the-way" : id;
  }

  #answer(name: string): Record<string, unknown> {
    const answer = this.#answers.get(name);
    if (answer === undefined) throw new Error(`no answer ${name}`);
    return structuredClone(answer);
  }
}

function snake(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value as unknown]),
  );
}

function wireNames(answer: Answer): Record<string, unknown> {
  return snake((answer.body as { context: { ipContext: object } }).context.ipContext);
}

describe("the shared NSM cases over HTTP", () => {
  test("are the ones with a chain", () => {
    expect(cases.length).toBeGreaterThanOrEqual(28);
  });

  test.each(cases.map((played) => [played.id, played] as const))("%s", async (_, played) => {
    await new Player(await openWorld(), played).play();
  });
});
