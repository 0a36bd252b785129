import { describe, it } from "vitest";
import { coreCases } from "../model/case-file.js";
import { Player } from "../model/play.js";
import { RULES } from "../model/rules.js";
import { Scene } from "../model/scene.js";
import { coreRealms } from "./core-realm.js";

describe("the core keeps the rules", () => {
  it.each(RULES)("%s", async (_, tell) => {
    const open = await coreRealms(3);
    tell(new Scene(open()));
  });
});

describe("the core answers the shared NSM cases", () => {
  it.each(coreCases().map((test) => [test.id, test] as const))("%s", async (_, test) => {
    // Each of the orders of four clients is a restart of its own.
    new Player(test, await coreRealms(test.setup.clients === undefined ? 5 : 26)).play();
  });
});
