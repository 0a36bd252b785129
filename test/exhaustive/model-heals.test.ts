import { describe, expect, it } from "vitest";
import { Model } from "../model/model.js";
import type { HealRealm } from "./heal.js";
import { playStorms } from "./storm.js";

function modelRealm(): HealRealm {
  let model = new Model();
  return {
    submit: (batch) => batch.map(({ command, envelope }) => model.submit(command, envelope)),
    mark: () => {
      const marked = model.fork();
      return () => {
        model = marked.fork();
      };
    },
  };
}

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

describe("the model gives every client its addresses back", () => {
  it.each([1, 2, 3])("whatever the order, batches and contexts of %i clients", (clients) => {
    expect(playStorms(modelRealm(), { clients, everyContext: true, withNewcomer: false })).toBe(factorial(clients) * 2 ** (clients - 1) * 3 ** clients);
  });

  it("also when a newcomer asks first and claims what the others have", () => {
    expect(playStorms(modelRealm(), { clients: 3, everyContext: false, withNewcomer: true })).toBe(24);
  });
});
