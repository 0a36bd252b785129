import { expect, it } from "vitest";
import { Bench, claims } from "./bench.js";

/** sdk#1680: after the prefixes went from 172.16.1.0/29 to 172.16.2.0/29 and 2001:db8::/116, every refresh added a pair. */
it("changed prefixes replace the pair once, and refreshes add nothing", () => {
  const bench = new Bench();
  bench.pool("four", ["172.16.1.0/29"]);
  bench.endpoint("e", [["four"]]);
  bench.ask("a", "e");
  bench.pool("four", ["172.16.2.0/29"]);
  bench.pool("six", ["2001:db8::/116"]);
  bench.endpoint("e", [["four"], ["six"]]);
  const items = claims(["172.16.1.0", "172.16.1.1"]);
  for (let refresh = 0; refresh < 3; refresh++) expect(bench.ask("a", "e", { items })).toBe("172.16.2.0 172.16.2.1, 2001:db8:: 2001:db8::1");
  expect([bench.free("four"), bench.free("six")]).toEqual(["6", "4094"]);
});
