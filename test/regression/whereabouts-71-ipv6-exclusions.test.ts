import { expect, it } from "vitest";
import { Bench } from "./bench.js";
import { parsePrefix } from "#events/address.js";

/** whereabouts#71: an excluded IPv6 range was ignored. */
it("the first address behind caa5::/113 in caa5::/112 is caa5::8000", () => {
  const bench = new Bench();
  bench.pool("p", ["caa5::/112"]);
  bench.endpoint("e", [["p"]]);
  expect(bench.ask("a", "e", { excluded: [parsePrefix("caa5::/113")!] })).toBe("caa5::8000 caa5::8001");
});
