import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** whereabouts#75, Meridio#584: a late close freed addresses that another connection used by then. */
it("a close of a superseded connection frees nothing", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e", { connection: "old" });
  bench.ask("a", "e", { connection: "new" });
  expect(bench.end("close", "a", "e", "old")).toMatchObject({ ok: true, answer: { released: 0 } });
  expect(bench.ask("b", "e")).toBe("10.0.0.2 10.0.0.3");
});
