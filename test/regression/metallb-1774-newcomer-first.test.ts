import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";

/** metallb#1774: after a restart a pending claimant that was processed first took a held address. */
it("a newcomer that asks first, claiming what another holds, gets something else", () => {
  const bench = new Bench();
  bench.pool("p", ["172.16.1.0/24"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e");
  bench.restart();
  expect(bench.ask("b", "e", { items: claims(["172.16.1.0", "172.16.1.1"]) })).toBe("172.16.1.2 172.16.1.3");
  expect(bench.ask("a", "e")).toBe("172.16.1.0 172.16.1.1");
});
