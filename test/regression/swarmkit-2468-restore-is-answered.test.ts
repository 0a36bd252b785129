import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";

/** swarmkit PR#2468: restored services never told the IPAM about their addresses, which it gave away. */
it("with the log lost, who says what it had gets it and is in the log; who says the same later gets something else", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/29"]);
  bench.endpoint("e", [["p"]]);
  expect(bench.request("a", "e", { items: claims(["10.0.0.2", "10.0.0.3"]) })).toMatchObject({ ok: true, answer: { leases: [{ outcome: "claimed" }] } });
  expect(bench.ask("b", "e", { items: claims(["10.0.0.2", "10.0.0.3"]) })).toBe("10.0.0.0 10.0.0.1");
  expect(bench.restart().ask("a", "e")).toBe("10.0.0.2 10.0.0.3");
  expect(bench.events().filter(({ type }) => type === "lease-granted")).toMatchObject([{ data: { cause: "claimed" } }, { data: { cause: "new" } }]);
});
