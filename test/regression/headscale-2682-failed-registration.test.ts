import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** headscale#2682: a failed registration consumed an address until the restart. */
it("a refused request writes no event and takes no address", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.pool("q", ["10.0.1.0/31"]);
  bench.endpoint("e", [["p"], ["q"]]);
  bench.ask("a", "e");
  const [hash, events] = [bench.hash(), bench.events().length];
  expect(bench.ask("b", "e")).toBe("pool-exhausted");
  expect([bench.hash(), bench.events().length]).toEqual([hash, events]);
});
