import { expect, it } from "vitest";
import { Bench } from "./bench.js";
import { parsePrefix } from "#events/address.js";

/** sdk ippool: excluding ::/0 emptied IPv4 pools, which lived on the same number line. */
it("an excluded ::/0 leaves IPv4 pools alone", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.endpoint("e", [["p"]]);
  expect(bench.ask("a", "e", { excluded: [parsePrefix("::/0")!] })).toBe("10.0.0.0 10.0.0.1");
});
