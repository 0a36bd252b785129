import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** Meridio#584: a close that was delayed over a restart and a heal freed addresses in use. */
it("the close of a connection from before the restart frees nothing that the healed one uses", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e", { connection: "before" });
  bench.restart().ask("a", "e", { connection: "after" });
  bench.end("close", "a", "e", "before");
  bench.end("cancel", "a", "e", "before");
  expect(bench.ask("b", "e")).toBe("10.0.0.2 10.0.0.3");
  expect(bench.ask("a", "e", { connection: "after" })).toBe("10.0.0.0 10.0.0.1");
});
