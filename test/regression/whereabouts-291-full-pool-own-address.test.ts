import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** whereabouts#291: a full pool refused its own holder. */
it("who has addresses in a full pool gets them again", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/31"]);
  bench.endpoint("e", [["p"]]);
  expect(bench.ask("a", "e")).toBe("10.0.0.0 10.0.0.1");
  expect(bench.ask("b", "e")).toBe("pool-exhausted");
  expect(bench.restart().ask("a", "e", { connection: "c-2" })).toBe("10.0.0.0 10.0.0.1");
});
