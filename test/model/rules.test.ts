import { describe, it } from "vitest";
import { modelRealm } from "./realm.js";
import { RULES } from "./rules.js";
import { Scene } from "./scene.js";

describe("the model keeps the rules", () => {
  it.each(RULES)("%s", (_, tell) => {
    tell(new Scene(modelRealm()));
  });
});
