import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";

/** deployments-k8s#9888, #11371: old values survived a reselect, and clients ended up with two addresses; the first mend wiped their own VIPs. */
it("an answer keeps this client's lease and what the realm never issued, and nothing else", () => {
  const bench = new Bench();
  bench.pool("p", ["100:100::/120"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("z", "e");
  bench.ask("a", "e");
  const outcome = bench.restart().request("a", "e", {
    connection: "c-new",
    reselect: true,
    // A stale pair of the pool, its own one, and a VIP of another world.
    items: claims(["100:100::4", "100:100::5"], ["100:100::2", "100:100::3"], ["20::", "20::1"]),
  });
  expect(outcome).toMatchObject({
    ok: true,
    answer: { leases: [{ outcome: "restored" }], verdicts: [false, true, true, false, true, true].map((keep) => ({ keep })) },
  });
});
