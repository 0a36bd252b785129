import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** sdk#1445: expired connections were never cleaned up. */
it("an expired lease gives its addresses back, and its client is told that it came too late", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/31"], { leaseSeconds: 60, graceSeconds: 10 });
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e");
  bench.wait(69).do({ kind: "expire", limit: 10 });
  expect(bench.free("p")).toBe("0");
  bench.wait(1).do({ kind: "expire", limit: 10 });
  expect(bench.free("p")).toBe("2");
  expect(bench.ask("b", "e")).toBe("10.0.0.0 10.0.0.1");
  expect(bench.ask("a", "e")).toBe("connection-expired");
});
