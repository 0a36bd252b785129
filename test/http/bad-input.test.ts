/** What is wrong gets a problem document with code, field and rule, and changes nothing: the state hash is the same. */
import { describe, expect, test } from "vitest";
import { problemCodes, statusOf } from "#host/problem.js";
import type { ProblemCode } from "#host/problem.js";
import { connectionOf, must, openServing } from "./world.js";

type Bad = readonly [what: string, method: string, path: string, body: unknown, code: ProblemCode, field: string | undefined, rule: string];

const pool = (more: Readonly<Record<string, unknown>>) => ({ mode: "pair", prefixes: ["10.0.0.0/24"], ...more });
const asked = (more: Readonly<Record<string, unknown>>) => ({ connection: connectionOf("c", more) });
const ip = (more: Readonly<Record<string, unknown>>) => asked({ context: { ipContext: more } });
const ipPath = "connection.context.ipContext";
const put = "/v1/pools/new";
const ask = "/v1/endpoints/e/request";
const long = "x".repeat(65_536);

const bad: readonly Bad[] = [
  ["JSON that ends too early", "PUT", put, '{"mode":', "invalid", "", "json"],
  ["JSON with a comma too many", "POST", ask, '{"connection":{"id":"c",}}', "invalid", "", "json"],
  ["an empty body", "POST", ask, "", "invalid", "", "json"],
  ["a body that is no object", "PUT", put, "7", "invalid", "", "type"],
  ["a request that is no object", "POST", ask, "[]", "invalid", "", "type"],
  ["a request without a connection", "POST", ask, "{}", "invalid", "connection", "required"],

  ["a pool without a mode", "PUT", put, { prefixes: ["10.0.0.0/24"] }, "invalid", "mode", "one-of"],
  ["a pool of an unknown mode", "PUT", put, pool({ mode: "triple" }), "invalid", "mode", "one-of"],
  ["a pool of mode prefix", "PUT", put, pool({ mode: "prefix", delegatedLength: 28 }), "invalid", "mode", "mode-served"],
  ["a delegated length where nothing is delegated", "PUT", put, pool({ delegatedLength: 28 }), "invalid", "delegatedLength", "mode-prefix-only"],
  ["a pool without prefixes", "PUT", put, pool({ prefixes: [] }), "invalid", "prefixes", "min"],
  ["a prefix that is a number", "PUT", put, pool({ prefixes: [10] }), "invalid", "prefixes[0]", "type"],
  ["host bits", "PUT", put, pool({ prefixes: ["10.0.0.1/24"] }), "invalid", "prefixes[0]", "host-bits"],
  ["host bits in IPv6", "PUT", put, pool({ prefixes: ["fd00::1/64"] }), "invalid", "prefixes[0]", "host-bits"],
  ["host bits in what is reserved", "PUT", put, pool({ reserved: ["10.0.0.9/30"] }), "invalid", "reserved[0]", "host-bits"],
  ["a prefix longer than IPv4", "PUT", put, pool({ prefixes: ["10.0.0.0/33"] }), "invalid", "prefixes[0]", "prefix-length"],
  ["a prefix longer than IPv6", "PUT", put, pool({ prefixes: ["fd00::/129"] }), "invalid", "prefixes[0]", "prefix-length"],
  ["a prefix of negative length", "PUT", put, pool({ prefixes: ["10.0.0.0/-1"] }), "invalid", "prefixes[0]", "prefix-length"],
  ["a prefix without a length", "PUT", put, pool({ prefixes: ["10.0.0.0"] }), "invalid", "prefixes[0]", "prefix-form"],
  ["a prefix that is none", "PUT", put, pool({ prefixes: ["10.0.0/24"] }), "invalid", "prefixes[0]", "prefix-form"],
  ["octal-looking octets", "PUT", put, pool({ prefixes: ["010.0.0.0/24"] }), "invalid", "prefixes[0]", "prefix-form"],
  ["a prefix of 64 KiB", "PUT", put, pool({ prefixes: [long] }), "invalid", "prefixes[0]", "prefix-form"],
  ["families mixed", "PUT", put, pool({ prefixes: ["10.0.0.0/24", "fd00::/64"] }), "invalid", "prefixes[1]", "one-family"],
  ["a reserved address of the other family", "PUT", put, pool({ reserved: ["fd00::1"] }), "invalid", "reserved[0]", "one-family"],
  ["a reserved address outside the pool", "PUT", put, pool({ reserved: ["10.0.1.1"] }), "invalid", "reserved", "reserved-inside"],
  ["the same prefix twice", "PUT", put, pool({ prefixes: ["10.0.0.0/24", "10.0.1.0/24", "10.0.0.0/24"] }), "invalid", "prefixes[2]", "duplicate"],
  ["the same IPv6 prefix in two spellings", "PUT", put, pool({ prefixes: ["fd00::/64", "FD00:0::0/64"] }), "invalid", "prefixes[1]", "duplicate"],
  ["the same reserved address twice", "PUT", put, pool({ reserved: ["10.0.0.1", "10.0.0.1/32"] }), "invalid", "reserved[1]", "duplicate"],
  ["prefixes that overlap each other", "PUT", put, pool({ prefixes: ["10.0.0.0/24", "10.0.0.128/25"] }), "invalid", "prefixes", "prefixes-disjoint"],
  ["prefixes of another pool", "PUT", put, pool({ prefixes: ["172.16.0.0/12"] }), "pool-overlap", "prefixes", "pools-disjoint"],
  ["prefixes inside another pool's", "PUT", put, pool({ prefixes: ["172.16.1.64/26"] }), "pool-overlap", "prefixes", "pools-disjoint"],
  ["too many prefixes", "PUT", put, pool({ prefixes: Array.from({ length: 257 }, (_, n) => `10.${n >> 8}.${n & 255}.0/24`) }), "too-large", "prefixes", "prefixes-count"],
  ["too much reserved", "PUT", put, pool({ prefixes: ["10.0.0.0/8"], reserved: Array.from({ length: 1025 }, (_, n) => `10.0.${n >> 8}.${n & 255}`) }), "too-large", "reserved", "reserved-count"],
  ["a lease of no time", "PUT", put, pool({ leaseSeconds: 0 }), "invalid", "leaseSeconds", "min"],
  ["a lease of more than a year", "PUT", put, pool({ leaseSeconds: 31_536_001 }), "invalid", "leaseSeconds", "max"],
  ["a lease of half a second", "PUT", put, pool({ leaseSeconds: 0.5 }), "invalid", "leaseSeconds", "type"],
  ["a grace that is a text", "PUT", put, pool({ graceSeconds: "60" }), "invalid", "graceSeconds", "type"],
  ["an unknown field of a pool", "PUT", put, pool({ prefixs: [] }), "invalid", "prefixs", "unknown-field"],
  ["a pool's name with a slash", "PUT", "/v1/pools/a%2Fb", pool({}), "invalid", "pool", "name"],
  ["a pool's name of 65 letters", "PUT", `/v1/pools/${"n".repeat(65)}`, pool({}), "invalid", "pool", "name"],
  ["a pool's name that is not plain", "PUT", "/v1/pools/b%C3%A4r", pool({}), "invalid", "pool", "name"],

  ["a chain without groups", "PUT", "/v1/endpoints/f", { chain: [] }, "invalid", "chain", "min"],
  ["a group without pools", "PUT", "/v1/endpoints/f", { chain: [["p"], []] }, "invalid", "chain[1]", "min"],
  ["a chain that is flat", "PUT", "/v1/endpoints/f", { chain: ["p"] }, "invalid", "chain[0]", "type"],
  ["a pool twice in a chain", "PUT", "/v1/endpoints/f", { chain: [["p"], ["p"]] }, "invalid", "chain[1][0]", "duplicate"],
  ["an unknown pool in a chain", "PUT", "/v1/endpoints/f", { chain: [["p", "nowhere"]] }, "not-found", "pool", "pool-known"],
  ["a pool's name in a chain that is none", "PUT", "/v1/endpoints/f", { chain: [["a b"]] }, "invalid", "chain[0][0]", "name"],
  ["seventeen groups", "PUT", "/v1/endpoints/f", { chain: Array.from({ length: 17 }, (_, n) => [`p${n}`]) }, "too-large", "chain", "groups-count"],
  ["seventeen pools in a group", "PUT", "/v1/endpoints/f", { chain: [Array.from({ length: 17 }, (_, n) => `p${n}`)] }, "too-large", "chain[0]", "group-pools-count"],
  ["an unknown context policy", "PUT", "/v1/endpoints/f", { chain: [["p"]], contextPolicy: "merge" }, "invalid", "contextPolicy", "one-of"],

  ["an unknown endpoint", "POST", "/v1/endpoints/nowhere/request", asked({}), "not-found", "endpoint", "endpoint-known"],
  ["an unknown endpoint at close", "POST", "/v1/endpoints/nowhere/close", connectionOf("c"), "not-found", "endpoint", "endpoint-known"],
  ["an unknown endpoint at cancel", "POST", "/v1/endpoints/nowhere/cancel", connectionOf("c"), "not-found", "endpoint", "endpoint-known"],
  ["a connection without an id or a path", "POST", ask, { connection: {} }, "invalid", "connection.id", "id-required"],
  ["a path whose first segment has no id", "POST", ask, { connection: { id: "x", path: { pathSegments: [{ name: "c" }] } } }, "invalid", "connection.path.pathSegments[0].id", "id-required"],
  ["a connection id of 64 KiB", "POST", ask, asked({ id: long }), "invalid", "connection.id", "id-bytes"],
  ["a client id of 64 KiB", "POST", ask, { connection: { id: "x", path: { pathSegments: [{ name: "c", id: long }] } } }, "invalid", "connection.path.pathSegments[0].id", "id-bytes"],
  ["a client name of 256 bytes in 128 letters", "POST", ask, { connection: { id: "x", path: { pathSegments: [{ name: "\u00e4".repeat(128), id: "c" }] } } }, "invalid", "connection.path.pathSegments[0].name", "id-bytes"],
  ["half a surrogate pair as id", "POST", ask, '{"connection":{"id":"\\ud800"}}', "invalid", "connection.id", "unicode"],
  ["a close of an id of 64 KiB", "POST", "/v1/endpoints/e/close", { id: long }, "invalid", "id", "id-bytes"],
  ["an unknown field of a request", "POST", ask, { ...asked({}), force: true }, "invalid", "force", "unknown-field"],
  ["an unknown field deep inside", "POST", ask, ip({ src_routes: [{ prefix: "10.0.0.0/8", metric: 1 }] }), "invalid", `${ipPath}.srcRoutes[0].metric`, "unknown-field"],
  ["an unknown field of a closed connection", "POST", "/v1/endpoints/e/close", connectionOf("c", { force: true }), "invalid", "force", "unknown-field"],
  ["a field in both spellings", "POST", ask, ip({ src_ip_addrs: [], srcIpAddrs: [] }), "invalid", `${ipPath}.srcIpAddrs`, "one-spelling"],
  ["an unknown state", "POST", ask, asked({ state: "SIDEWAYS" }), "invalid", "connection.state", "one-of"],
  ["a state without a name", "POST", ask, asked({ state: 4 }), "invalid", "connection.state", "one-of"],
  ["a source address that is none", "POST", ask, ip({ srcIpAddrs: ["10.0.0.1/32", "10.0.0.256"] }), "invalid", `${ipPath}.srcIpAddrs[1]`, "address-form"],
  ["an empty destination address", "POST", ask, ip({ dstIpAddrs: [""] }), "invalid", `${ipPath}.dstIpAddrs[0]`, "address-form"],
  ["a source address longer than its family", "POST", ask, ip({ srcIpAddrs: ["10.0.0.1/33"] }), "invalid", `${ipPath}.srcIpAddrs[0]`, "address-form"],
  ["a route without a prefix", "POST", ask, ip({ dstRoutes: [{ nextHop: "10.0.0.1" }] }), "invalid", `${ipPath}.dstRoutes[0].prefix`, "address-form"],
  ["a next hop that is none", "POST", ask, ip({ srcRoutes: [{ prefix: "10.0.0.0/8", next_hop: "there" }] }), "invalid", `${ipPath}.srcRoutes[0].nextHop`, "address-form"],
  ["a policy's source that is none", "POST", ask, ip({ policies: [{ from: "x" }] }), "invalid", `${ipPath}.policies[0].from`, "address-form"],
  ["a policy's next hop that is none", "POST", ask, ip({ policies: [{ routes: [{ prefix: "10.0.0.0/8" }, { nextHop: "x" }] }] }), "invalid", `${ipPath}.policies[0].routes[1].nextHop`, "address-form"],
  ["an excluded prefix that is none", "POST", ask, ip({ excludedPrefixes: ["10.0.0.0/8", "10.0.0.0/8/8"] }), "invalid", `${ipPath}.excludedPrefixes[1]`, "address-form"],
  ["100 000 exclusions", "POST", ask, ip({ excludedPrefixes: Array.from({ length: 100_000 }, (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`) }), "too-large", `${ipPath}.excludedPrefixes`, "excluded-count"],
  ["more addresses in a context than the core takes", "POST", ask, ip({ srcIpAddrs: Array.from({ length: 1025 }, (_, n) => `10.0.${n >> 8}.${n & 255}/32`) }), "too-large", ipPath, "context-items"],
  ["a body of 10 MB", "POST", ask, JSON.stringify(asked({ labels: { big: "x".repeat(10_000_000) } })), "too-large", "", "body-bytes"],

  ["a parameter that does not exist", "GET", "/v1/leases?pol=p", undefined, "invalid", "pol", "unknown-parameter"],
  ["a parameter given twice", "GET", "/v1/leases?pool=p&pool=q", undefined, "invalid", "pool", "one-value"],
  ["a limit of nothing", "GET", "/v1/pools?limit=0", undefined, "invalid", "limit", "range"],
  ["a limit beyond the largest page", "GET", "/v1/leases?limit=1001", undefined, "invalid", "limit", "range"],
  ["a cursor that is none", "GET", "/v1/leases?cursor=x", undefined, "invalid", "cursor", "cursor-form"],
  ["a state that is none", "GET", "/v1/leases?state=dead", undefined, "invalid", "state", "one-of"],
  ["an address that is none", "GET", "/v1/leases?address=10.0.0", undefined, "invalid", "address", "address-form"],
  ["client and clientName", "GET", "/v1/leases?client=a&clientName=b", undefined, "invalid", "client", "one-client"],
  ["a lease's number that is none", "GET", "/v1/leases/x", undefined, "invalid", "id", "lease-number"],
  ["lease number 0", "DELETE", "/v1/leases/0", undefined, "invalid", "id", "lease-number"],
  ["an unknown lease", "DELETE", "/v1/leases/99", undefined, "not-found", "id", "lease-known"],
  ["events after the head", "GET", "/v1/events?after=1000", undefined, "invalid", "after", "position-ahead"],
  ["an event type that does not exist", "GET", "/v1/events?type=lease-lost", undefined, "invalid", "type", "one-of"],
  ["a path that does not exist", "GET", "/v2/pools", undefined, "not-found", undefined, "route"],
  ["a method that is not served", "PATCH", "/v1/pools/p", {}, "method-not-allowed", undefined, "method"],
];

describe("bad input", () => {
  test.each(bad)("%s is refused and changes nothing", async (_what, method, path, body, code, field, rule) => {
    const world = await openServing();
    await must(world.send("POST", ask, { connection: connectionOf("before") }));
    const hash = await world.hash();
    const head = world.realm.head().position;
    const answer = await world.send(method, path, body);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.body).toMatchObject({ type: `urn:holdfast:problem:${code}`, status: statusOf(code), code, rule });
    expect(answer.status).toBe(statusOf(code));
    expect(answer.body.field).toBe(field);
    expect(answer.body.detail.length).toBeGreaterThan(20);
    // A problem never carries the input back in full.
    expect(answer.text.length).toBeLessThan(4000);
    expect(await world.hash()).toBe(hash);
    expect(world.realm.head().position).toBe(head);
    expect(world.realm.state).toBe("ready");
  });

  test("host bits are answered with the prefix to write instead", async () => {
    const world = await openServing();
    const { body } = await world.send("PUT", put, pool({ prefixes: ["100.64.10.0/12"] }));
    expect(body).toMatchObject({ canonical: "100.64.0.0/12" });
    expect(body.detail).toContain("write 100.64.0.0/12");
    expect((await world.send("PUT", put, pool({ prefixes: ["fd00::ff:1/112"] }))).body.canonical).toBe("fd00::ff:0/112");
  });

  test("an overlap is answered with the pool and the prefix that are in the way", async () => {
    const world = await openServing();
    expect((await world.send("PUT", put, pool({ prefixes: ["172.16.1.64/26"] }))).body).toMatchObject({ subject: "p", heldBy: "p", address: "172.16.1.0/24" });
  });

  test("several faults of a body are all told", async () => {
    const world = await openServing();
    const { body } = await world.send("PUT", put, { mode: "x", prefixes: "y", leaseSeconds: -1 });
    expect(body.field).toBe("mode");
    expect(body.others.map(({ field }: { field: string }) => field)).toEqual(["prefixes", "leaseSeconds"]);
  });

  test("limits hold at the limit", async () => {
    const world = await openServing();
    await must(world.send("PUT", put, pool({ prefixes: Array.from({ length: 256 }, (_, n) => `10.0.${n}.0/24`), reserved: Array.from({ length: 1024 }, (_, n) => `10.0.${n >> 8}.${n & 255}`) })));
    await must(world.send("PUT", `/v1/pools/${"n".repeat(64)}`, pool({ prefixes: ["10.1.0.0/24"], leaseSeconds: 31_536_000 })));
    await must(world.send("POST", ask, ip({ excludedPrefixes: Array.from({ length: 16_384 }, (_, n) => `10.0.${n >> 8}.${n & 255}/32`), srcIpAddrs: Array.from({ length: 1024 }, (_, n) => `11.0.${n >> 8}.${n & 255}/32`) })));
    await must(world.send("POST", ask, { connection: { id: "i".repeat(255), path: { pathSegments: [{ name: "n".repeat(255), id: "\u00e4".repeat(127) }] } } }));
  });

  test("a body that is not JSON by its type is not read", async () => {
    const world = await openServing();
    const hash = await world.hash();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]) {
      const answer = await world.send("PUT", put, pool({}), { "content-type": type });
      expect([answer.status, answer.body.code]).toEqual([415, "unsupported-media-type"]);
    }
    expect(await world.hash()).toBe(hash);
    await must(world.send("PUT", put, pool({}), { "content-type": "Application/JSON; charset=utf-8" }));
  });

  test("bytes that are not UTF-8 are refused: two broken ids would become one client", async () => {
    const world = await openServing();
    const response = await world.app.request(ask, { method: "POST", headers: { "content-type": "application/json" }, body: Buffer.from('{"connection":{"id":"\xff"}}', "latin1") });
    expect(await response.json()).toMatchObject({ code: "invalid", rule: "utf-8" });
  });

  test("a method that is not served names those that are", async () => {
    const world = await openServing();
    expect((await world.send("PATCH", "/v1/pools/p", {})).headers.get("allow")).toBe("GET, PUT, DELETE, HEAD");
    expect((await world.send("GET", ask)).headers.get("allow")).toBe("POST");
    expect((await world.send("HEAD", "/v1/pools/p")).status).toBe(200);
  });

  test("every code has a status between 400 and 599", () => {
    for (const code of problemCodes) expect(statusOf(code)).toBeGreaterThanOrEqual(400);
  });
});

describe("a body over the limit", () => {
  test("that says so is refused before it is read", async () => {
    const world = await openServing({ config: { bodyLimitBytes: 1024 } });
    let read = 0;
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => (read++, controller.enqueue(new Uint8Array(512))) }, { highWaterMark: 0 });
    const response = await world.app.request(ask, { method: "POST", headers: { "content-type": "application/json", "content-length": "10000000" }, body, duplex: "half" } as RequestInit);
    expect(response.status).toBe(413);
    expect(response.headers.get("connection")).toBe("close");
    expect(read).toBe(0);
  });

  test("that does not say so is refused at the byte that is too many", async () => {
    const world = await openServing({ config: { bodyLimitBytes: 1024 } });
    let read = 0;
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => (read++, controller.enqueue(new Uint8Array(512).fill(32))) }, { highWaterMark: 0 });
    const response = await world.app.request(ask, { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half" } as RequestInit);
    expect(await response.json()).toMatchObject({ code: "too-large", rule: "body-bytes", limit: 1024 });
    expect(read).toBeLessThanOrEqual(4);
  });

  test("of exactly the limit is read", async () => {
    const text = JSON.stringify({ connection: connectionOf("c") });
    const world = await openServing({ config: { bodyLimitBytes: 1024 } });
    await must(world.send("POST", ask, text.padEnd(1024)));
    expect((await world.send("POST", ask, text.padEnd(1025))).status).toBe(413);
    await must(world.send("POST", ask, text.padEnd(1024), { "content-length": "1024" }));
  });
});
