import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** spiderpool#1203: once a pool conflicted it could be neither edited nor deleted. */
it("a pool with a lease outside its prefixes can be changed, drained and retired", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e");
  bench.pool("p", ["10.0.1.0/29"]);
  bench.end("close", "a", "e");
  bench.do({ kind: "retire-endpoint", endpoint: "e" });
  expect(bench.do({ kind: "retire-pool", pool: "p" })).toMatchObject({ ok: true });
  expect(bench.pool("q", ["10.0.0.0/23"])).toMatchObject({ ok: true });
});
