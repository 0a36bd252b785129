import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";

/** metallb#435: a reboot changed who got the only address. */
it("the only pair stays with its holder, whoever asks first after a restart", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/31"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e");
  bench.ask("b", "e");
  bench.restart();
  expect(bench.ask("b", "e", { items: claims(["10.0.0.0", "10.0.0.1"]) })).toBe("pool-exhausted");
  expect(bench.ask("a", "e")).toBe("10.0.0.0 10.0.0.1");
});
