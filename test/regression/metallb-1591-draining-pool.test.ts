import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** metallb#1591: a pool was deleted and its addresses assigned twice. */
it("a draining pool keeps its leases and gives no new ones", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e");
  bench.pool("p", ["10.0.0.0/29"], { draining: true });
  expect(bench.ask("a", "e")).toBe("10.0.0.0 10.0.0.1");
  expect(bench.ask("b", "e")).toBe("pool-exhausted");
  expect(bench.do({ kind: "retire-pool", pool: "p" })).toMatchObject({ ok: false, refusal: { code: "in-use" } });
});
