import { expect, test } from "vitest";
import { must, openServing, request, start } from "./world.js";

test("?at= answers from the state at a position or a time", async () => {
  const world = await openServing();
  const empty = world.realm.head().position;
  world.clock.now += 10_000;
  await must(request(world, "c"));
  const leased = world.realm.head().position;
  world.clock.now += 10_000;
  const [{ lease }] = (await world.send("GET", "/v1/leases")).body.items;
  await must(world.send("DELETE", `/v1/leases/${lease}`));

  const at = async (moment: string | number): Promise<unknown[]> =>
    (await must(world.send("GET", `/v1/leases?state=live&at=${moment}`))).body.items;
  expect(await at(empty)).toEqual([]);
  expect(await at(leased)).toMatchObject([{ lease, state: "live", src: "172.16.1.1", dst: "172.16.1.0" }]);
  expect(await at(leased + 1)).toEqual([]);
  expect(await at(new Date(start + 9_999).toISOString())).toEqual([]);
  expect(await at(new Date(start + 10_000).toISOString())).toHaveLength(1);
  expect(await at(new Date(start + 20_000).toISOString())).toEqual([]);

  const then = await world.send("GET", `/v1/pools/p?at=${leased}`);
  expect(then.headers.get("holdfast-position")).toBe(String(leased));
  expect(then.body.usage.leases).toBe(1);
  expect((await world.send("GET", `/v1/leases/${lease}?at=${empty}`)).body).toMatchObject({ code: "not-found" });
  expect((await world.send("GET", "/v1/pools/p?at=0")).body).toMatchObject({ code: "not-found" });
  expect((await world.send("GET", `/v1/endpoints?at=${empty}`)).body.items).toHaveLength(1);
});

test("a moment that has not come, or is none, is refused", async () => {
  const world = await openServing();
  const head = world.realm.head().position;
  for (const path of ["/v1/pools", "/v1/pools/p", "/v1/endpoints", "/v1/endpoints/e", "/v1/leases", "/v1/leases/1"]) {
    expect((await world.send("GET", `${path}?at=${head + 1}`)).body).toMatchObject({
      code: "invalid",
      field: "at",
      rule: "at-position",
      head,
    });
    expect((await world.send("GET", `${path}?at=${new Date(start + 1).toISOString()}`)).body).toMatchObject({
      code: "invalid",
      field: "at",
      rule: "at-time",
    });
    for (const moment of ["", "now", "-1", "1.5", "2026-11-30", "2026-13-30T10:00:00Z", "9".repeat(30)]) {
      expect((await world.send("GET", `${path}?at=${moment}`)).body, moment).toMatchObject({ code: "invalid", field: "at" });
    }
  }
});

test("many reads of the past wait for each other instead of each taking a state of its own", async () => {
  const world = await openServing();
  for (const client of ["a", "b", "c", "d", "e", "f", "g", "h"]) await must(request(world, client));
  const head = world.realm.head().position;
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => world.send("GET", `/v1/leases?at=${head - (n % 8)}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
  expect(answers[0]?.body.items).toHaveLength(8);
  expect(answers[7]?.body.items).toHaveLength(1);
});
