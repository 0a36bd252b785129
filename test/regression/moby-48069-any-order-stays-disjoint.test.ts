import { expect, it } from "vitest";
import { Dice } from "../simulation/dice.js";
import { Bench } from "./bench.js";

/** moby#48069: after a delete the ordered list was out of order, and a subnet was handed out twice. */
it("whatever is taken and given back in whatever order, nothing is taken twice and the lowest free pair comes next", () => {
  const dice = new Dice(48069);
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/27"]);
  bench.endpoint("e", [["p"]]);
  const held = new Map<string, string>();
  for (let i = 0; i < 600; i++) {
    const leaver = held.size > 0 && dice.chance(0.45) ? dice.pick([...held.keys()]) : undefined;
    if (leaver !== undefined) {
      bench.end("close", leaver, "e");
      held.delete(leaver);
      continue;
    }
    const got = bench.ask(`n${i}`, "e");
    const lowest = Array.from({ length: 16 }, (_, pair) => `10.0.0.${2 * pair} 10.0.0.${2 * pair + 1}`).find((pair) => ![...held.values()].includes(pair));
    expect(got).toBe(lowest ?? "pool-exhausted");
    if (lowest !== undefined) held.set(`n${i}`, got);
  }
});
