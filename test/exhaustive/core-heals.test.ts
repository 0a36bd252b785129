import { describe, expect, it } from "vitest";
import { Core } from "#events/core.js";
import type { HealRealm } from "./heal.js";
import { playStorms } from "./storm.js";

/** Every batch is made durable, and going back is a new instance that replays the log: slow, and all of it real. */
function durableRealm(): HealRealm {
  let core = Core.create();
  let log: readonly Uint8Array[] = [];
  return {
    submit: (batch) => {
      const { outcomes, events } = core.submit(batch);
      log = [...log, events.slice()];
      core.commit(batch.length);
      return outcomes;
    },
    mark: () => {
      const marked = log;
      return () => {
        core = Core.create();
        log = marked;
        for (const events of marked) core.apply(events);
      };
    },
  };
}

/** Nothing behind the mark is made durable, and going back is an abort: fast enough for every order of six. */
function tentativeRealm(): HealRealm {
  const core = Core.create();
  let tentative = 0;
  return {
    submit: (batch) => {
      tentative += batch.length;
      return core.submit(batch).outcomes;
    },
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

const orders = (clients: number): number => factorial(clients) * 2 ** (clients - 1);

describe("the core gives every client its addresses back", () => {
  it.each([1, 2, 3])("whatever the order, batches and contexts of %i clients, each batch durable", (clients) => {
    expect(playStorms(durableRealm(), { clients, everyContext: true, withNewcomer: false })).toBe(orders(clients) * 3 ** clients);
  });

  it("whatever the order and batches of 4 clients, each batch durable", () => {
    expect(playStorms(durableRealm(), { clients: 4, everyContext: false, withNewcomer: false })).toBe(orders(4));
  });

  it("whatever the order, batches and contexts of 4 clients", () => {
    expect(playStorms(tentativeRealm(), { clients: 4, everyContext: true, withNewcomer: false })).toBe(orders(4) * 3 ** 4);
  });

  it.each([5, 6])("whatever the order and batches of %i clients", (clients) => {
    expect(playStorms(tentativeRealm(), { clients, everyContext: false, withNewcomer: false })).toBe(orders(clients));
  });

  it.each([3, 6])("also when a newcomer asks before %i clients and claims what they have", (clients) => {
    expect(playStorms(tentativeRealm(), { clients, everyContext: false, withNewcomer: true })).toBe(orders(clients));
  });
});
