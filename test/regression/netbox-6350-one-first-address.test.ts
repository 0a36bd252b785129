import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** netbox#6350: two code paths disagreed on the first IPv6 address, :: or ::1. */
it("the first addresses of an IPv6 pool are the same in both modes, for a first, a second and a restarted allocation", () => {
  for (const mode of ["pair", "single"] as const) {
    const bench = new Bench();
    bench.pool("p", ["fd00::/64"], { mode });
    bench.endpoint("e", [["p"]]);
    expect(bench.ask("a", "e")).toBe("fd00:: fd00::1");
    bench.end("cancel", "a", "e");
    expect(bench.ask("b", "e")).toBe("fd00:: fd00::1");
    expect(bench.restart().ask("b", "e")).toBe("fd00:: fd00::1");
  }
});
