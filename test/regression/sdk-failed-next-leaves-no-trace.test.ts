import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** sdk point2pointipam: after a failed next element the addresses were free while the entry stayed; a retry duplicated them. */
it("a cancelled request holds nothing, and a retry shares nothing with who came between", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.endpoint("e", [["p"]]);
  expect(bench.ask("a", "e")).toBe("10.0.0.0 10.0.0.1");
  bench.end("cancel", "a", "e");
  expect(bench.ask("b", "e")).toBe("10.0.0.0 10.0.0.1");
  expect(bench.ask("a", "e")).toBe("10.0.0.2 10.0.0.3");
  bench.end("close", "a", "e");
  expect(bench.ask("c", "e")).toBe("10.0.0.2 10.0.0.3");
});
