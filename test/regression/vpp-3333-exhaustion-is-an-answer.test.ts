import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** vpp#3333: out of ports, it crashed. deployments-k8s#12620: "IPPool is empty" said nothing about which, nor how full. */
it("a full pool is refused with its name and how many leases it has, again and again, and serves on", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/30"]);
  bench.endpoint("e", [["p"]]);
  for (const client of ["a", "b"]) bench.ask(client, "e");
  const hash = bench.hash();
  for (let i = 0; i < 100; i++) expect(bench.request(`n${i}`, "e")).toMatchObject({ ok: false, refusal: { code: "pool-exhausted", subject: "p", count: 2 } });
  expect(bench.hash()).toBe(hash);
  bench.end("close", "a", "e");
  expect(bench.ask("n0", "e")).toBe("10.0.0.0 10.0.0.1");
});
