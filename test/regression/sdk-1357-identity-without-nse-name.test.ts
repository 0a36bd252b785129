import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** sdk#1357: the identity held the NSE's name, so that a refresh after the NSE was replaced failed for ever. */
it("a client is the same to another endpoint over the same pool, and has the same addresses there", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.endpoint("nse-old", [["p"]]);
  bench.ask("a", "nse-old");
  bench.do({ kind: "retire-endpoint", endpoint: "nse-old" });
  bench.endpoint("nse-new", [["p"]]);
  expect(bench.restart().ask("a", "nse-new")).toBe("10.0.0.0 10.0.0.1");
});
