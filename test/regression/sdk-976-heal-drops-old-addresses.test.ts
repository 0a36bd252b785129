import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";

/** sdk#976: healing kept the old addresses and added new ones; the old were leased to others later. */
it("the old pair of a moved client is taken out of its answer", () => {
  const bench = new Bench();
  bench.pool("p", ["169.254.2.0/24"]);
  bench.endpoint("e", [["p"]]);
  bench.ask("a", "e");
  bench.pool("p", ["169.254.3.0/24"]);
  const outcome = bench.request("a", "e", { items: claims(["169.254.2.0", "169.254.2.1"]) });
  expect(outcome).toMatchObject({ ok: true, answer: { leases: [{ outcome: "moved" }], verdicts: [{ keep: false }, { keep: false }] } });
});
