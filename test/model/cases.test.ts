import { describe, expect, it } from "vitest";
import { NOT_OF_THE_CORE, coreCases } from "./case-file.js";
import { Player } from "./play.js";
import { modelRealm } from "./realm.js";

const cases = coreCases();

describe("the model answers the shared NSM cases", () => {
  it("finds the cases it is meant to answer", () => {
    expect(cases.length).toBe(47);
    expect(Object.keys(NOT_OF_THE_CORE)).toHaveLength(2);
  });

  it.each(cases.map((test) => [test.id, test] as const))("%s", (_, test) => {
    new Player(test, modelRealm).play();
  });
});
