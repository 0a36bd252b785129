import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";
import { parsePrefix } from "#events/address.js";

/** cilium#46799: after a restart the ingress address, which only memory knew to be taken, went to a pod. */
it("what was reserved before a restart is reserved after it", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"], { reserved: [parsePrefix("10.0.0.0/30")!] });
  bench.endpoint("e", [["p"]]);
  expect(bench.restart().ask("a", "e", { items: claims(["10.0.0.0", "10.0.0.1"]) })).toBe("10.0.0.4 10.0.0.5");
});
