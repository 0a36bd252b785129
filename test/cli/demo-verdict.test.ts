import { describe, expect, test } from "vitest";
import { judge, orders } from "#host/demo/verdict.js";

const one = { client: "NSC-1", src: ["172.16.1.1"], dst: ["172.16.1.0"] };
const two = { client: "NSC-2", src: ["172.16.1.3"], dst: ["172.16.1.2"] };
const three = { client: "NSC-3", src: ["172.16.1.5"], dst: ["172.16.1.4"] };

describe("the demo's verdict", () => {
  test("is good when everybody kept theirs and a newcomer got others", () => {
    const verdict = judge([one, two], [three, two, one]);
    expect(verdict.ok).toBe(true);
    expect(verdict.rows.map(({ client, mark }) => `${client} ${mark}`)).toEqual(["NSC-1 kept", "NSC-2 kept", "NSC-3 new"]);
  });

  test("sees the swap of the seed's story", () => {
    const verdict = judge(
      [one, two],
      [
        { ...two, src: one.src, dst: one.dst },
        { ...one, src: two.src, dst: two.dst },
      ],
    );
    expect(verdict.ok).toBe(false);
    expect(verdict.rows.map(({ mark }) => mark)).toEqual(["MOVED", "MOVED"]);
  });

  test("sees a dead address left beside the new one", () => {
    expect(judge([one], [{ ...one, src: [...one.src, "172.16.1.3"], dst: [...one.dst, "172.16.1.2"] }]).rows[0]?.mark).toBe(
      "MOVED",
    );
  });

  test("sees an address of two clients, also when nobody moved", () => {
    const verdict = judge([one], [one, { ...three, src: one.src }]);
    expect(verdict.rows.map(({ mark }) => mark)).toEqual(["kept", "new"]);
    expect(verdict.shared).toEqual(["172.16.1.1"]);
    expect(verdict.ok).toBe(false);
  });

  test("sees a client that got nothing", () => {
    expect(judge([one, two], [one]).rows[1]?.mark).toBe("LOST");
  });

  test("tries every order once", () => {
    const all = orders(["a", "b", "c", "d"]).map((order) => order.join(""));
    expect(new Set(all).size).toBe(24);
    expect(all).toHaveLength(24);
    expect(all[0]).toBe("abcd");
    expect(all[23]).toBe("dcba");
  });
});
