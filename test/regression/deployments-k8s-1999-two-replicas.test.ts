import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** deployments-k8s#1999: two replicas of an NSE, each with its own idea of one prefix, gave the same addresses. */
it("two endpoints over one pool share nothing", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/28"]);
  bench.endpoint("replica-1", [["p"]]);
  bench.endpoint("replica-2", [["p"]]);
  const got = Array.from({ length: 8 }, (_, i) => bench.ask(`n${i}`, `replica-${1 + (i % 2)}`));
  expect(new Set(got).size).toBe(8);
  expect(got).not.toContain("pool-exhausted");
});
