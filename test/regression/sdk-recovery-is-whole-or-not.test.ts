import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";

/** sdk point2pointipam: src was pulled, dst refused, and src never returned: a leak with every heal. */
it("a claim half of which is taken gives nothing away and leaks nothing", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/28"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e", { items: claims(["10.0.0.4", "10.0.0.5"]) });
  expect(bench.ask("b", "e", { items: claims(["10.0.0.4", "10.0.0.9"]) })).toBe("10.0.0.0 10.0.0.1");
  expect(bench.free("p")).toBe("12");
});
