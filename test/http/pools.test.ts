import { expect, test } from "vitest";
import { must, openServing, openWorld, request } from "./world.js";

const pool = { mode: "pair", prefixes: ["172.16.1.0/24"] };

test("a pool is defined once, changed when it changes, and tells its usage", async () => {
  const world = await openWorld();
  const defined = await world.send("PUT", "/v1/pools/p", pool);
  expect(defined.status).toBe(201);
  expect(defined.headers.get("location")).toBe("/v1/pools/p");
  expect(defined.body).toMatchObject({
    pool: "p",
    mode: "pair",
    prefixes: ["172.16.1.0/24"],
    reserved: [],
    leaseSeconds: 600,
    graceSeconds: 60,
    cooldownSeconds: 0,
    draining: false,
    usage: { size: "256", leases: 0, free: "256" },
  });
  const position = Number(defined.headers.get("holdfast-position"));
  expect(defined.headers.get("etag")).toBe(`"${position}"`);

  const same = await world.send("PUT", "/v1/pools/p", { ...pool, leaseSeconds: 600 });
  expect(same.status).toBe(200);
  expect(same.headers.get("etag")).toBe(`"${position}"`);
  expect(world.realm.head().position).toBe(position);

  const changed = await world.send("PUT", "/v1/pools/p", { ...pool, reserved: ["172.16.1.0/31", "172.16.1.255"], draining: true });
  expect(changed.status).toBe(200);
  expect(changed.headers.get("etag")).toBe(`"${position + 1}"`);
  expect((await world.send("GET", "/v1/pools/p")).body).toEqual(changed.body);
});

test("a PUT or DELETE with If-Match happens only to the revision it names", async () => {
  const world = await openWorld();
  const etag = (await must(world.send("PUT", "/v1/pools/p", pool, { "if-none-match": "*" }))).headers.get("etag") ?? "";
  const hash = await world.hash();
  for (const headers of [{ "if-match": '"1"' }, { "if-match": '"999"' }, { "if-none-match": "*" }] as const) {
    const refused = await world.send("PUT", "/v1/pools/p", { ...pool, leaseSeconds: 60 }, headers);
    expect(refused.status).toBe(412);
    expect(refused.body).toMatchObject({ code: "precondition-failed", subject: "p", revision: Number(etag.slice(1, -1)) });
    expect(refused.headers.get("etag")).toBe(etag);
  }
  expect((await world.send("DELETE", "/v1/pools/p", undefined, { "if-match": '"1"' })).status).toBe(412);
  expect((await world.send("PUT", "/v1/pools/q", { ...pool, prefixes: ["10.0.0.0/24"] }, { "if-match": "*" })).status).toBe(412);
  expect((await world.send("PUT", "/v1/pools/p", pool, { "if-match": "812" })).body).toMatchObject({ code: "invalid", field: "If-Match" });
  expect((await world.send("PUT", "/v1/pools/p", pool, { "if-match": etag, "if-none-match": "*" })).body).toMatchObject({
    code: "invalid",
  });
  expect(await world.hash()).toBe(hash);
  expect((await world.send("PUT", "/v1/pools/p", { ...pool, leaseSeconds: 60 }, { "if-match": `"1", ${etag}` })).status).toBe(200);
  expect((await world.send("DELETE", "/v1/pools/p", undefined, { "if-match": "*" })).status).toBe(204);
});

test("a pool that is in use is kept, and the refusal says by what and what to do", async () => {
  const world = await openServing();
  const chained = await world.send("DELETE", "/v1/pools/p");
  expect(chained.status).toBe(409);
  expect(chained.body).toMatchObject({ code: "in-use", rule: "pool-unchained", heldBy: "e" });

  await must(request(world, "c"));
  const leased = await world.send("DELETE", "/v1/pools/p");
  expect(leased.body).toMatchObject({ code: "in-use", rule: "pool-empty", leases: 1, subject: "p" });
  expect(leased.body.detail).toContain('"draining": true');
  expect((await world.send("PUT", "/v1/pools/p", { mode: "single", prefixes: ["172.16.1.0/24"] })).body).toMatchObject({
    code: "in-use",
    rule: "mode-in-use",
    field: "mode",
  });

  const { body } = await world.send("GET", "/v1/leases?pool=p");
  await must(world.send("DELETE", `/v1/leases/${body.items[0].lease}`));
  await must(world.send("DELETE", "/v1/endpoints/e"));
  const gone = await world.send("DELETE", "/v1/pools/p");
  expect(gone.status).toBe(204);
  expect(Number(gone.headers.get("holdfast-position"))).toBe(world.realm.head().position);
  expect((await world.send("GET", "/v1/pools/p")).body).toMatchObject({ code: "not-found", subject: "p" });
  expect((await world.send("DELETE", "/v1/pools/p")).status).toBe(404);
});

test("pools are listed by name, page by page", async () => {
  const world = await openWorld();
  for (let n = 0; n < 7; n++) await must(world.send("PUT", `/v1/pools/p${n}`, { mode: "pair", prefixes: [`10.0.${n}.0/24`] }));
  const names: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { body } = await must(world.send("GET", `/v1/pools?limit=3${cursor === undefined ? "" : `&cursor=${cursor}`}`));
    names.push(...body.items.map(({ pool: name }: { pool: string }) => name));
    cursor = body.next;
    pages++;
  } while (cursor !== undefined);
  expect(names).toEqual(["p0", "p1", "p2", "p3", "p4", "p5", "p6"]);
  expect(pages).toBe(3);
});

test("an endpoint is defined, read with its ETag, changed and retired; its pools must exist", async () => {
  const world = await openWorld();
  expect((await world.send("PUT", "/v1/endpoints/e", { chain: [["nowhere"]] })).body).toMatchObject({
    code: "not-found",
    subject: "nowhere",
  });
  await must(world.send("PUT", "/v1/pools/a", pool));
  await must(world.send("PUT", "/v1/pools/b", { mode: "pair", prefixes: ["fd00::/64"] }));
  const defined = await world.send("PUT", "/v1/endpoints/e", { chain: [["a"], ["b"]] });
  expect([defined.status, defined.body]).toEqual([
    201,
    { endpoint: "e", chain: [["a"], ["b"]], contextPolicy: "replace", revision: world.realm.head().position },
  ]);
  const read = await world.send("GET", "/v1/endpoints/e");
  expect(read.body).toEqual(defined.body);
  expect(read.headers.get("etag")).toBe(defined.headers.get("etag"));
  expect((await world.send("PUT", "/v1/endpoints/e", { chain: [["b"]], contextPolicy: "append" })).status).toBe(200);
  expect((await world.send("GET", "/v1/endpoints")).body.items).toHaveLength(1);
  expect((await world.send("DELETE", "/v1/endpoints/e")).status).toBe(204);
  expect((await world.send("GET", "/v1/endpoints/e")).body).toMatchObject({ code: "not-found", subject: "e" });
});
