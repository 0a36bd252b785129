import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";

/** sdk#1106: a client that moved from an NSE with 1.0.0.0/16 to one with 2.0.0.0/16 kept addresses of both. */
it("a client that reselects another endpoint is answered with that one's addresses only", () => {
  const bench = new Bench();
  bench.pool("one", ["1.0.0.0/16"]);
  bench.pool("two", ["2.0.0.0/16"]);
  bench.endpoint("nse-1", [["one"]]);
  bench.endpoint("nse-2", [["two"]]);
  bench.ask("a", "nse-1");
  const outcome = bench.request("a", "nse-2", { connection: "c-2", reselect: true, items: claims(["1.0.0.0", "1.0.0.1"]) });
  expect(outcome).toMatchObject({ ok: true, answer: { leases: [{ pool: "two" }], verdicts: [{ keep: false }, { keep: false }] } });
});
