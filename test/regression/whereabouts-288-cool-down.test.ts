import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** whereabouts#288: an address was used again at once, and peers talked to the wrong pod. */
it("with a cool-down an address goes to nobody else before its end, but back to its client", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"], { cooldownSeconds: 60 });
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e");
  bench.ask("z", "e");
  bench.end("close", "a", "e");
  bench.end("close", "z", "e");
  expect(bench.ask("b", "e")).toBe("10.0.0.4 10.0.0.5");
  expect(bench.ask("z", "e")).toBe("10.0.0.2 10.0.0.3");
  bench.wait(60).do({ kind: "expire", limit: 10 });
  expect(bench.ask("c", "e")).toBe("10.0.0.0 10.0.0.1");
});
