import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** headscale#2036: 100.64.10.0/12 was masked downwards in silence. */
it("a pool prefix with host bits is refused, and names itself", () => {
  const bench = new Bench();
  expect(bench.pool("p", ["100.64.10.0/12"])).toMatchObject({ ok: false, refusal: { code: "invalid", length: 12 } });
  expect(bench.events()).toEqual([]);
});
