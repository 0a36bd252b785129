import { expect, it } from "vitest";
import { Bench } from "./bench.js";
import { parsePrefix } from "#events/address.js";

/** deployments-k8s#10488: 10.213.0.0/24 and 2001:db8::/116 in one IPAM did not work, and nothing said so. */
it("one endpoint serves both families; one pool of both is refused when it is defined", () => {
  const bench = new Bench();
  bench.pool("four", ["10.213.0.0/24"]);
  bench.pool("six", ["2001:db8::/116"]);
  bench.endpoint("e", [["four"], ["six"]]);
  expect(bench.ask("a", "e", { excluded: [parsePrefix("10.213.0.0/31")!] })).toBe("10.213.0.2 10.213.0.3, 2001:db8:: 2001:db8::1");
  expect(bench.pool("mixed", ["10.9.0.0/24", "2001:db9::/116"])).toMatchObject({ ok: false, refusal: { code: "invalid" } });
  expect(bench.events().filter(({ type }) => type === "pool-defined")).toHaveLength(2);
});
