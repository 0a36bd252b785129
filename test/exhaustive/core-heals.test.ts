import { describe, expect, it } from "vitest";
import { Core } from "#events/core.js";
import type { HealRealm } from "./heal.js";
import { playStorms } from "./storm.js";

async function coreRealm(): Promise<HealRealm> {
  const core = await Core.load("release");
  let tentative = 0;
  return {
    submit: (batch) => {
      tentative += batch.length;
      return core.submit(batch).outcomes;
    },
    // Going back is an abort: what came before the mark is durable, what comes behind it never is.
    mark: () => {
      core.commit(tentative);
      tentative = 0;
      return () => {
        core.abort();
        tentative = 0;
      };
    },
  };
}

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

describe("the core gives every client its addresses back", () => {
  it.each([1, 2, 3, 4])("whatever the order, batches and contexts of %i clients", async (clients) => {
    expect(playStorms(await coreRealm(), { clients, everyContext: true, withNewcomer: false })).toBe(factorial(clients) * 2 ** (clients - 1) * 3 ** clients);
  });

  it.each([5, 6])("whatever the order and batches of %i clients", async (clients) => {
    expect(playStorms(await coreRealm(), { clients, everyContext: false, withNewcomer: false })).toBe(factorial(clients) * 2 ** (clients - 1));
  });

  it.each([3, 6])("also when a newcomer asks before %i clients and claims what they have", async (clients) => {
    expect(playStorms(await coreRealm(), { clients, everyContext: false, withNewcomer: true })).toBe(factorial(clients) * 2 ** (clients - 1));
  });
});
