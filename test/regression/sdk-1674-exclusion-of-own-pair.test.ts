import { expect, it } from "vitest";
import { Bench } from "./bench.js";
import { parsePrefix } from "#events/address.js";

/** sdk#1674: a client looped because its restored pair was in its own exclude list. */
it("a restored pair that the request excludes is moved, and the answer honours the exclusion", () => {
  const bench = new Bench();
  bench.pool("p", ["172.16.1.96/27"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e");
  bench.restart();
  expect(bench.ask("a", "e", { excluded: [parsePrefix("172.16.1.96/31")!] })).toBe("172.16.1.98 172.16.1.99");
});
