import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";
import { parsePrefix } from "#events/address.js";

/** plugins#233, whereabouts#139: a gateway inside the range was leased, one outside it was taken or refused by chance. */
it("a reserved address is never leased, not even to who claims it; one outside the pool is refused by rule", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"], { reserved: [parsePrefix("10.0.0.1/32")!] });
  bench.endpoint("e", [["p"]]);
  expect(bench.ask("a", "e", { items: claims(["10.0.0.0", "10.0.0.1"]) })).toBe("10.0.0.0 10.0.0.2");
  for (const client of ["b", "c"]) expect(bench.ask(client, "e")).not.toContain("10.0.0.1");
  expect(bench.ask("d", "e")).toBe("pool-exhausted");
  expect(bench.pool("q", ["fd00::/64"], { reserved: [parsePrefix("fe80::1/128")!] })).toMatchObject({ ok: false, refusal: { code: "invalid" } });
});
