import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** omicron#11010: overlapping address lots were accepted. */
it("a pool that meets another one is refused, and the other is named", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/24"]);
  expect(bench.pool("q", ["10.0.0.128/25"])).toMatchObject({ ok: false, refusal: { code: "pool-overlap", subject: "p", length: 24 } });
});
