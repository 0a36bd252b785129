import { describe, expect, test } from "vitest";
import { connectionOf, must, openServing, openWorld, request, start } from "./world.js";
import type { World } from "./world.js";

const pair = (n: number) => ({
  srcIpAddrs: [`172.16.1.${2 * n + 1}/32`],
  dstIpAddrs: [`172.16.1.${2 * n}/32`],
  srcRoutes: [{ prefix: `172.16.1.${2 * n}/32` }],
  dstRoutes: [{ prefix: `172.16.1.${2 * n + 1}/32` }],
});

describe("a request", () => {
  test("leases a pair and says what happened, until when, and where it stands in the log", async () => {
    const world = await openServing();
    const answer = await request(world, "c");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...connectionOf("c"), context: { ipContext: pair(0) } });
    expect(answer.headers.get("holdfast-outcome")).toBe("granted");
    expect(answer.headers.get("holdfast-lease-expires")).toBe(new Date(start + 600_000).toISOString());
    expect(answer.headers.get("holdfast-position")).toBe(String(world.realm.head().position));
  });

  test("for a connection that has a lease renews it, with the same addresses in the same order", async () => {
    const world = await openServing();
    const first = await request(world, "c");
    world.clock.now += 60_000;
    const again = await world.send("POST", "/v1/endpoints/e/request", { connection: first.body });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("holdfast-outcome")).toBe("renewed");
    expect(again.headers.get("holdfast-lease-expires")).toBe(new Date(start + 660_000).toISOString());
  });

  test("knows its client by the first path segment, whatever the connection is called and whatever the context says", async () => {
    const world = await openServing();
    await must(request(world, "a"));
    const first = await must(request(world, "c"));
    const healed = await request(world, "c", {
      id: "another",
      context: { ipContext: { srcIpAddrs: ["172.16.1.9/32"], dstIpAddrs: ["172.16.1.8/32"], dstRoutes: [{ prefix: "172.16.1.9/32" }] } },
    });
    expect(healed.body.context).toEqual(first.body.context);
    expect(healed.headers.get("holdfast-outcome")).toBe("restored");
  });

  test("without a path is known by its connection's id", async () => {
    const world = await openServing();
    const one = await must(world.send("POST", "/v1/endpoints/e/request", { connection: { id: "x" } }));
    const two = await must(world.send("POST", "/v1/endpoints/e/request", { connection: { id: "x", context: {} } }));
    expect(two.body.context).toEqual(one.body.context);
    expect((await world.send("GET", "/v1/leases?clientId=x")).body.items).toMatchObject([{ client: { name: "", id: "x" } }]);
  });

  test("may be written in snake_case and is answered in camelCase", async () => {
    const world = await openServing();
    const answer = await world.send("POST", "/v1/endpoints/e/request", {
      connection: {
        id: "c",
        network_service: "icmp",
        path: { index: "1", path_segments: [{ name: "n", id: "n-0" }] },
        context: { ip_context: { src_ip_required: true, excluded_prefixes: ["172.16.1.0/31"] }, MTU: 1400 },
      },
      mechanism_preferences: [{ cls: "LOCAL", type: "KERNEL" }],
    });
    expect(answer.body).toEqual({
      id: "c",
      networkService: "icmp",
      path: { index: "1", pathSegments: [{ name: "n", id: "n-0" }] },
      context: { ipContext: { srcIpRequired: true, excludedPrefixes: ["172.16.1.0/31"], ...pair(1) }, MTU: 1400 },
    });
  });

  test("passes on what is not about addresses as it came", async () => {
    const world = await openServing();
    const carried = {
      networkService: "icmp",
      networkServiceEndpointName: "e",
      mechanism: { cls: "LOCAL", type: "KERNEL", parameters: { inodeURL: "inode://4/1" } },
      labels: { app: "alpine", __proto__x: "y" },
      payload: "IP",
      state: "REFRESH_REQUESTED",
      path: { index: 1, pathSegments: [{ name: "c", id: "c-0", token: "ey.j.s", expires: "2026-11-30T10:10:00Z", metrics: { rx: "1" } }] },
    };
    const context = {
      dnsContext: { configs: [{ dnsServerIps: ["10.0.0.53"], searchDomains: ["a"] }] },
      ethernetContext: { vlanTag: 7 },
      extraContext: { k: "v" },
      MTU: 1500,
    };
    const { body } = await must(
      request(world, "c", {
        ...carried,
        context: {
          ...context,
          ipContext: { ipNeighbors: [{ ip: "172.16.1.0", hardwareAddress: "0a:00" }], extraPrefixes: ["10.9.0.0/16"] },
        },
      }),
    );
    expect(body).toMatchObject({ ...carried, context });
    expect(body.context.ipContext).toEqual({
      ipNeighbors: [{ ip: "172.16.1.0", hardwareAddress: "0a:00" }],
      extraPrefixes: ["10.9.0.0/16"],
      ...pair(0),
    });
  });

  test("keeps the client's own addresses and replaces what this realm issued, next hops and policy sources too", async () => {
    const world = await openServing();
    const { body } = await must(
      request(world, "c", {
        context: {
          ipContext: {
            srcIpAddrs: ["20.0.0.1/32", "172.16.1.77/32"],
            dstIpAddrs: ["172.16.1.76/32", "20.0.0.2/32"],
            srcRoutes: [
              { prefix: "172.16.1.76/32" },
              { prefix: "10.0.0.0/8", nextHop: "172.16.1.76" },
              { prefix: "11.0.0.0/8", nextHop: "20.0.0.2" },
              { prefix: "fd00::/64", nextHop: "" },
            ],
            dstRoutes: [{ prefix: "172.16.1.77/32", nextHop: "172.16.1.76" }, { prefix: "20.0.0.1/32" }],
            policies: [
              { from: "172.16.1.77/24", proto: "6", dstPort: "80", routes: [{ prefix: "12.0.0.0/8", nextHop: "172.16.1.76" }] },
              { proto: "17", routes: [{ prefix: "13.0.0.0/8" }] },
            ],
          },
        },
      }),
    );
    // 172.16.1.76/.77 were free, so they are taken over as claimed; the second time they are somebody else's.
    const other = await must(request(world, "d", { context: body.context }));
    expect(other.headers.get("holdfast-outcome")).toBe("granted");
    expect(other.body.context.ipContext).toEqual({
      srcIpAddrs: ["20.0.0.1/32", "172.16.1.1/32"],
      dstIpAddrs: ["172.16.1.0/32", "20.0.0.2/32"],
      srcRoutes: [
        { prefix: "10.0.0.0/8", nextHop: "172.16.1.0" },
        { prefix: "11.0.0.0/8", nextHop: "20.0.0.2" },
        { prefix: "fd00::/64", nextHop: "" },
        { prefix: "172.16.1.0/32" },
      ],
      dstRoutes: [{ prefix: "20.0.0.1/32" }, { prefix: "172.16.1.1/32" }],
      policies: [
        { from: "172.16.1.1/24", proto: "6", dstPort: "80", routes: [{ prefix: "12.0.0.0/8", nextHop: "172.16.1.0" }] },
        { proto: "17", routes: [{ prefix: "13.0.0.0/8" }] },
      ],
    });
    // Asked again, the answer is made of itself: nothing is dropped, doubled or reordered.
    const again = await must(request(world, "d", { context: other.body.context }));
    expect(again.body).toEqual(other.body);
  });

  test("moves when what it holds is excluded, whether or not the exclusion has host bits", async () => {
    const world = await openServing();
    const first = await must(request(world, "c"));
    const moved = await must(
      request(world, "c", { context: { ipContext: { ...first.body.context.ipContext, excludedPrefixes: ["172.16.1.3/30", "fd00::1"] } } }),
    );
    expect(moved.headers.get("holdfast-outcome")).toBe("moved");
    expect(moved.body.context.ipContext).toEqual({ excludedPrefixes: ["172.16.1.3/30", "fd00::1"], ...pair(2) });
  });

  test("of a chain gets one lease of each group, and outcomes in its order", async () => {
    const world = await openWorld();
    await must(world.send("PUT", "/v1/pools/v4", { mode: "pair", prefixes: ["10.0.0.0/31"], leaseSeconds: 60 }));
    await must(world.send("PUT", "/v1/pools/v6", { mode: "single", prefixes: ["fd00::/64"], leaseSeconds: 30 }));
    await must(world.send("PUT", "/v1/endpoints/e", { chain: [["v4"], ["v6"]] }));
    const answer = await must(request(world, "c"));
    expect(answer.body.context.ipContext).toEqual({
      srcIpAddrs: ["10.0.0.1/32", "fd00::1/64"],
      dstIpAddrs: ["10.0.0.0/32"],
      srcRoutes: [{ prefix: "10.0.0.0/32" }],
      dstRoutes: [{ prefix: "10.0.0.1/32" }],
    });
    expect(answer.headers.get("holdfast-outcome")).toBe("granted, granted");
    expect(answer.headers.get("holdfast-lease-expires")).toBe(new Date(start + 30_000).toISOString());
    const full = await request(world, "d");
    expect([full.status, full.body]).toMatchObject([507, { code: "pool-exhausted", subject: "v4", leases: 1 }]);
    expect((await world.send("GET", "/v1/leases")).body.items).toHaveLength(2);
  });

  test("under contextPolicy append keeps what the client brought, as NSM does", async () => {
    const world = await openServing();
    await must(world.send("PUT", "/v1/endpoints/e", { chain: [["p"]], contextPolicy: "append" }));
    await must(request(world, "a"));
    const { body } = await must(request(world, "c", { context: { ipContext: pair(0) } }));
    expect(body.context.ipContext).toEqual({
      srcIpAddrs: [...pair(0).srcIpAddrs, ...pair(1).srcIpAddrs],
      dstIpAddrs: [...pair(0).dstIpAddrs, ...pair(1).dstIpAddrs],
      srcRoutes: [...pair(0).srcRoutes, ...pair(1).srcRoutes],
      dstRoutes: [...pair(0).dstRoutes, ...pair(1).dstRoutes],
    });
  });

  test("after its lease ran out is refused; close and request anew gives the same addresses", async () => {
    const world = await openServing();
    await must(request(world, "other"));
    const first = await must(request(world, "c"));
    world.clock.now += 600_000;
    const hash = await world.hash();
    const late = await world.send("POST", "/v1/endpoints/e/request", { connection: first.body });
    expect([late.status, late.body]).toMatchObject([
      410,
      { code: "connection-expired", subject: "p", lease: expect.any(Number) as number },
    ]);
    expect(await world.hash()).toBe(hash);
    await must(world.send("POST", "/v1/endpoints/e/close", first.body));
    const anew = await must(request(world, "c"));
    expect(anew.headers.get("holdfast-outcome")).toBe("regranted");
    expect(anew.body.context).toEqual(first.body.context);
  });

  test("with RESELECT_REQUESTED needs no close before", async () => {
    const world = await openServing();
    const first = await must(request(world, "c"));
    world.clock.now += 600_000;
    const anew = await must(request(world, "c", { state: 3 }));
    expect(anew.body.context).toEqual(first.body.context);
    expect(anew.body.state).toBe("RESELECT_REQUESTED");
  });
});

describe("close and cancel", () => {
  test("close frees the addresses, is idempotent, and a late one of an old connection frees nothing", async () => {
    const world = await openServing();
    const first = await must(request(world, "c"));
    const newer = await must(request(world, "c", { id: "newer" }));
    const close = (connection: unknown) => world.send("POST", "/v1/endpoints/e/close", connection);
    expect(await close(first.body)).toMatchObject({ status: 200, body: {} });
    expect((await world.send("GET", "/v1/leases?state=live")).body.items).toHaveLength(1);
    const closed = await close(newer.body);
    expect(closed.body).toEqual({});
    expect(closed.headers.get("holdfast-position")).toBe(String(world.realm.head().position));
    await close(newer.body);
    expect(closed.headers.get("holdfast-position")).toBe(String(world.realm.head().position));
    expect((await world.send("GET", "/v1/leases?state=live")).body.items).toEqual([]);
    expect((await world.send("POST", "/v1/endpoints/nowhere/close", first.body)).body).toMatchObject({ code: "not-found" });
  });

  test("cancel takes back a fresh grant without a trace, and leaves a renewed lease alone", async () => {
    const world = await openServing();
    const cancel = (connection: unknown) => world.send("POST", "/v1/endpoints/e/cancel", connection);
    const first = await must(request(world, "c"));
    await must(cancel(first.body));
    expect((await world.send("GET", "/v1/leases")).body.items).toEqual([]);
    const kept = await must(request(world, "d"));
    expect(kept.body.context.ipContext).toEqual(pair(0));
    await must(request(world, "d"));
    await must(cancel(kept.body));
    expect((await world.send("GET", "/v1/leases?state=live")).body.items).toHaveLength(1);
  });
});

describe("a batch", () => {
  const batch = (world: World, connections: readonly unknown[]) =>
    world.send(
      "POST",
      "/v1/endpoints/e/requests",
      connections.map((connection) => ({ connection })),
    );

  test("answers each element in its place with one append for all", async () => {
    const world = await openServing();
    const rows = world.disk.batches.length;
    const clients = Array.from({ length: 100 }, (_, n) => `c${n}`);
    const answer = await batch(
      world,
      clients.map((client) => connectionOf(client)),
    );
    expect(answer.status).toBe(200);
    expect(answer.body.map(({ context }: { context: { ipContext: unknown } }) => context.ipContext)).toEqual(
      clients.map((_, n) => pair(n)),
    );
    expect(answer.headers.get("holdfast-position")).toBe(String(world.realm.head().position));
    expect(world.disk.batches).toHaveLength(rows + 1);
    expect(world.disk.batches.at(-1)?.count).toBe(100);
  });

  test("refuses single elements where they stand and grants the others", async () => {
    const world = await openServing();
    const answer = await world.send("POST", "/v1/endpoints/e/requests", [
      { connection: connectionOf("a") },
      { connection: { id: "b", context: { ipContext: { srcIpAddrs: ["what"] } } } },
      { connection: connectionOf("c"), strange: 1 },
      7,
      { connection: connectionOf("d") },
    ]);
    expect(answer.status).toBe(200);
    expect(
      answer.body.map((element: { code?: string; status?: number; field?: string }) => [element.code, element.status, element.field]),
    ).toEqual([
      [undefined, undefined, undefined],
      ["invalid", 400, "[1].connection.context.ipContext.srcIpAddrs[0]"],
      ["invalid", 400, "[2].strange"],
      ["invalid", 400, "[3]"],
      [undefined, undefined, undefined],
    ]);
    expect((await world.send("GET", "/v1/leases")).body.items).toHaveLength(2);
  });

  test("of more elements than the limit, or of something else than an array, changes nothing", async () => {
    const world = await openServing({ config: { batchLimit: 3 } });
    const hash = await world.hash();
    expect(
      (
        await batch(
          world,
          ["a", "b", "c", "d"].map((client) => connectionOf(client)),
        )
      ).body,
    ).toMatchObject({ code: "too-large", rule: "batch-count", limit: 3 });
    expect((await world.send("POST", "/v1/endpoints/e/requests", { connection: connectionOf("a") })).body).toMatchObject({
      code: "invalid",
      rule: "type",
    });
    expect(await world.hash()).toBe(hash);
    expect((await batch(world, [])).body).toEqual([]);
    expect(
      (
        await batch(
          world,
          ["a", "b", "c"].map((client) => connectionOf(client)),
        )
      ).body,
    ).toHaveLength(3);
  });
});

describe("leases", () => {
  test("are found by pool, client, address and state, and listed page by page", async () => {
    const world = await openServing();
    await must(world.send("PUT", "/v1/pools/q", { mode: "pair", prefixes: ["10.0.0.0/24"] }));
    await must(world.send("PUT", "/v1/endpoints/f", { chain: [["q"]] }));
    for (let n = 0; n < 9; n++) await must(request(world, `c${n}`));
    await must(world.send("POST", "/v1/endpoints/f/request", { connection: connectionOf("c3") }));
    await must(world.send("POST", "/v1/endpoints/f/request", { connection: { id: "c3" } }));
    await must(world.send("POST", "/v1/endpoints/e/close", connectionOf("c5")));
    const found = async (query: string): Promise<string[]> =>
      (await must(world.send("GET", `/v1/leases?${query}`))).body.items.map(
        ({ client, pool }: { client: { name: string; id: string }; pool: string }) => `${client.name}|${client.id}|${pool}`,
      );
    expect(await found("pool=q")).toEqual(["c3|c3-0|q", "|c3|q"]);
    expect(await found("clientName=c3")).toEqual(["c3|c3-0|p", "c3|c3-0|q"]);
    expect(await found("client=c3")).toEqual(["c3|c3-0|p", "c3|c3-0|q", "|c3|q"]);
    expect(await found("client=c3-0&pool=q")).toEqual(["c3|c3-0|q"]);
    expect(await found("address=172.16.1.7")).toEqual(["c3|c3-0|p"]);
    expect(await found("address=10.0.0.0")).toEqual(["c3|c3-0|q"]);
    expect(await found("state=ended")).toEqual(["c5|c5-0|p"]);
    expect(await found("client=nobody")).toEqual([]);

    for (const filter of ["", "client=c3&", "state=live&"]) {
      const all = (await must(world.send("GET", `/v1/leases?${filter}`))).body.items;
      const paged: unknown[] = [];
      let cursor = "";
      do {
        const { body } = await must(world.send("GET", `/v1/leases?${filter}limit=2${cursor}`));
        paged.push(...body.items);
        cursor = body.next === undefined ? "" : `&cursor=${body.next}`;
      } while (cursor !== "");
      expect(paged).toEqual(all);
    }
  });

  test("are shown and taken away by number", async () => {
    const world = await openServing();
    await must(request(world, "c"));
    const [lease] = (await world.send("GET", "/v1/leases")).body.items;
    expect((await world.send("GET", `/v1/leases/${lease.lease}`)).body).toEqual(lease);
    const gone = await world.send("DELETE", `/v1/leases/${lease.lease}`);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await world.send("DELETE", `/v1/leases/${lease.lease}`)).body).toMatchObject({ code: "not-found", rule: "lease-known" });
    expect((await world.send("GET", `/v1/leases/${lease.lease}`)).body).toMatchObject({ state: "ended" });
    expect((await world.send("GET", "/v1/leases/99999")).body).toMatchObject({ code: "not-found" });
  });
});
