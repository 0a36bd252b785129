import { expect, it } from "vitest";
import { Bench } from "./bench.js";

/** deployments-k8s#5599: "IPPool is empty" after churn without live clients. AssemblyScript#1887: churn leaked memory. */
it("after everybody has left everything is free, and memory stands still", () => {
  const bench = new Bench();
  bench.pool("p", ["10.0.0.0/24"]);
  bench.pool("s", ["10.0.1.0/24"], { mode: "single" });
  bench.endpoint("e", [["p"], ["s"]]);
  const churn = (): void => {
    for (let i = 0; i < 120; i++) bench.ask(`n${i}`, "e");
    for (let i = 0; i < 120; i++) bench.end("close", `n${(i * 7) % 120}`, "e");
  };
  churn();
  const bytes = bench.bytes();
  for (let round = 0; round < 20; round++) churn();
  expect([bench.free("p"), bench.free("s")]).toEqual(["256", "255"]);
  expect(bench.bytes()).toBe(bytes);
});
