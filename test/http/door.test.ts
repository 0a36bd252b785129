/** What every route has in common: tokens, idempotency keys, readiness, metrics, pages. */
import { describe, expect, test } from "vitest";
import { pino } from "pino";
import { MemoryDisk } from "#events/memory-store.js";
import { createApp } from "#host/app.js";
import { roles, tokenDigest } from "#host/auth.js";
import { Metrics } from "#host/metrics.js";
import { connectionOf, must, openServing, openWorld, request, start } from "./world.js";

const secretOf = (role: string): string => `secret-of-${role}-0123456789`;
const tokens = roles.map((role) => ({ name: `the-${role}`, roles: [role], digest: tokenDigest(secretOf(role)) }));
const as = (role: string) => ({ authorization: `Bearer ${secretOf(role)}` });

describe("tokens", () => {
  test("open what their role says, and stand as actor in the log", async () => {
    const world = await openWorld({ config: { tokens } });
    const pool = { mode: "pair", prefixes: ["10.0.0.0/24"] };
    expect((await world.send("PUT", "/v1/pools/p", pool)).status).toBe(401);
    for (const role of ["reader", "agent", "auditor"])
      expect((await world.send("PUT", "/v1/pools/p", pool, as(role))).body).toMatchObject({
        code: "forbidden",
        subject: `the-${role}`,
        needed: ["operator"],
      });
    await must(world.send("PUT", "/v1/pools/p", pool, as("operator")));
    await must(world.send("PUT", "/v1/endpoints/e", { chain: [["p"]] }, as("operator")));
    for (const role of ["reader", "auditor"]) expect((await request(world, "c", {}, as(role))).status).toBe(403);
    await must(request(world, "c", {}, { ...as("agent"), "x-request-id": "from-the-nse-1" }));
    for (const role of roles) await must(world.send("GET", "/v1/leases", undefined, as(role)));
    for (const role of ["reader", "agent"]) expect((await world.send("GET", "/v1/events", undefined, as(role))).status).toBe(403);
    const { items } = (await must(world.send("GET", "/v1/events", undefined, as("auditor")))).body;
    expect(items.map(({ actor }: { actor: string }) => actor)).toEqual(["system", "the-operator", "the-operator", "the-agent"]);
    expect(items[3].correlation).toBe("from-the-nse-1");
  });

  test("are asked for by name and realm, and never shown back", async () => {
    const world = await openWorld({ config: { tokens } });
    const none = await world.send("GET", "/v1/pools");
    expect(none.headers.get("www-authenticate")).toBe('Bearer realm="holdfast"');
    const wrong = await world.send("GET", "/v1/pools", undefined, { authorization: "Bearer not-the-secret" });
    expect(wrong.headers.get("www-authenticate")).toContain("invalid_token");
    expect(wrong.text).not.toContain("not-the-secret");
  });

  test("are not needed for probes and documentation", async () => {
    const world = await openWorld({ config: { tokens } });
    for (const path of ["/livez", "/readyz", "/", "/docs", "/openapi.json"]) expect((await world.send("GET", path)).status).toBe(200);
    expect((await world.send("GET", "/metrics")).status).toBe(401);
    expect((await world.send("GET", "/metrics", undefined, as("reader"))).status).toBe(200);
  });

  test("are checked before the body is read", async () => {
    const world = await openWorld({ config: { tokens } });
    expect((await world.send("PUT", "/v1/pools/p", "{not json")).status).toBe(401);
  });
});

test("without tokens the actor is anonymous, and a foreign name gets nothing", async () => {
  const world = await openServing();
  const { items } = (await world.send("GET", "/v1/events")).body;
  expect(items.at(-1).actor).toBe("anonymous");
  expect((await world.send("GET", "/v1/pools", undefined, { host: "evil.example" })).body).toMatchObject({
    code: "forbidden",
    rule: "loopback-host",
  });
});

describe("an idempotency key", () => {
  const key = { "idempotency-key": "k-1" };

  test("makes a repeated write one write", async () => {
    const world = await openServing();
    const first = await must(request(world, "c", {}, key));
    const head = world.realm.head().position;
    world.clock.now += 5000;
    const again = await must(request(world, "c", {}, key));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    for (const name of ["holdfast-position", "holdfast-outcome", "holdfast-lease-expires"])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(again.body).toEqual(first.body);
    expect(world.realm.head().position).toBe(head);
    expect((await world.send("GET", "/v1/events?type=lease-granted")).body.items[0].correlation).toBe("k-1");
  });

  test("is refused for another body, path or method", async () => {
    const world = await openServing();
    await must(request(world, "c", {}, key));
    const hash = await world.hash();
    expect([(await request(world, "d", {}, key)).status, (await request(world, "d", {}, key)).body]).toMatchObject([
      409,
      { code: "idempotency-mismatch", field: "Idempotency-Key" },
    ]);
    expect((await world.send("POST", "/v1/endpoints/e/close", { connection: connectionOf("c") }, key)).status).toBe(409);
    expect((await world.send("DELETE", "/v1/endpoints/e", undefined, key)).status).toBe(409);
    expect(await world.hash()).toBe(hash);
  });

  test("repeats refusals and empty answers too", async () => {
    const world = await openServing();
    const refused = await world.send("DELETE", "/v1/pools/p", undefined, key);
    await must(world.send("DELETE", "/v1/endpoints/e"));
    expect((await world.send("DELETE", "/v1/pools/p", undefined, key)).body).toEqual(refused.body);
    const gone = await world.send("DELETE", "/v1/pools/p", undefined, { "idempotency-key": "k-2" });
    const again = await world.send("DELETE", "/v1/pools/p", undefined, { "idempotency-key": "k-2" });
    expect([gone.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([204, 204, "true"]);
  });

  test("lets duplicates that come at once wait for the first", async () => {
    const world = await openServing();
    const answers = await Promise.all([1, 2, 3, 4].map(() => request(world, "c", {}, key)));
    expect(answers.map(({ headers }) => headers.get("holdfast-outcome"))).toEqual(["granted", "granted", "granted", "granted"]);
    expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1);
  });

  test("of an answer that could not be made durable is free again", async () => {
    const world = await openServing();
    world.disk.failAppend(1, { kind: "unavailable" });
    const failed = await request(world, "c", {}, key);
    expect([failed.status, failed.body.code, failed.headers.get("retry-after")]).toEqual([503, "store-unavailable", "1"]);
    const again = await must(request(world, "c", {}, key));
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    expect(again.headers.get("holdfast-outcome")).toBe("granted");
  });

  test("that is none is refused", async () => {
    const world = await openServing();
    expect((await request(world, "c", {}, { "idempotency-key": "k".repeat(256) })).body).toMatchObject({
      code: "invalid",
      rule: "key-form",
    });
  });
});

describe("a log that cannot be written", () => {
  test("is answered with what may be done, and nothing changed", async () => {
    const world = await openServing();
    const hash = await world.hash();
    world.disk.failAppend(1, { kind: "full" });
    expect((await request(world, "c")).body).toMatchObject({ code: "store-full", status: 507 });
    expect(await world.hash()).toBe(hash);
    expect(world.realm.state).toBe("ready");
  });

  test("with an uncertain outcome ends the service until it is reopened", async () => {
    const world = await openServing();
    world.disk.failAppend(1, { kind: "unknown", written: false });
    expect((await request(world, "c")).body).toMatchObject({ code: "store-unavailable", status: 503 });
    for (const path of ["/readyz", "/v1/pools"]) {
      const answer = await world.send("GET", path);
      expect([answer.status, answer.body.code, answer.headers.get("retry-after")]).toEqual([503, "store-unavailable", "1"]);
    }
    expect((await world.send("GET", "/livez")).status).toBe(200);
  });

  test("for want of room keeps known clients and takes on no new ones", async () => {
    const world = await openServing();
    await must(request(world, "known"));
    world.disk.room = { state: "low", freeBytes: 1 };
    const refused = await request(world, "new");
    expect([refused.status, refused.body.code]).toEqual([507, "store-full"]);
    expect((await must(request(world, "known"))).headers.get("holdfast-outcome")).toBe("renewed");
  });
});

test("while the realm recovers only probes, metrics and pages answer", async () => {
  const metrics = new Metrics(() => undefined);
  const app = createApp({
    realm: () => undefined,
    clock: () => start,
    config: { realm: "test", tokens: [], bodyLimitBytes: 1024, batchLimit: 1 },
    log: pino({ level: "silent" }),
    metrics,
  });
  for (const [method, path] of [
    ["GET", "/readyz"],
    ["GET", "/v1/pools"],
    ["PUT", "/v1/pools/p"],
    ["POST", "/v1/endpoints/e/request"],
    ["GET", "/v1/events/watch"],
  ] as const) {
    const response = await app.request(path, { method });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.json()).toMatchObject({ code: "recovering" });
  }
  for (const path of ["/livez", "/metrics", "/", "/docs", "/openapi.json"]) expect((await app.request(path)).status).toBe(200);
});

test("readyz says where the log stands", async () => {
  const world = await openServing();
  expect((await world.send("GET", "/readyz")).body).toEqual({ status: "ready", realm: "test", position: world.realm.head().position });
});

test("metrics count pools, leases, refusals and time, by names that do not grow with use", async () => {
  const world = await openServing();
  await must(request(world, "c"));
  await must(request(world, "c"));
  await world.send("GET", "/v1/pools/nowhere");
  await world.send("GET", "/somewhere/else");
  const answer = await must(world.send("GET", "/metrics"));
  expect(answer.headers.get("content-type")).toContain("text/plain");
  for (const line of [
    'holdfast_pool_addresses{pool="p"} 256',
    'holdfast_pool_addresses_free{pool="p"} 254',
    'holdfast_pool_leases{pool="p"} 1',
    'holdfast_lease_outcomes_total{outcome="granted"} 1',
    'holdfast_lease_outcomes_total{outcome="renewed"} 1',
    'holdfast_refusals_total{code="not-found"} 2',
    "holdfast_grant_seconds_count 2",
    `holdfast_head_position ${world.realm.head().position}`,
    "holdfast_ready 1",
    'holdfast_http_request_seconds_count{route="GET /v1/pools/{pool}"} 1',
    'holdfast_http_request_seconds_bucket{route="GET /v1/pools/{pool}",le="+Inf"} 1',
  ]) {
    expect(answer.text.split("\n")).toContain(line);
  }
  expect(answer.text).not.toContain("nowhere");
});

test("the server's log names each request and holds neither bodies nor tokens", async () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => lines.push(line) });
  const world = await openWorld({ config: { tokens }, log });
  await world.send("PUT", "/v1/pools/p", { mode: "pair", prefixes: ["10.99.0.0/24"] }, { ...as("operator"), "x-request-id": "r-1" });
  await world.send("PUT", "/v1/pools/q", '{"mode": "10.98.0.0', { ...as("operator") });
  await world.send("GET", "/v1/pools/p?at=x", undefined, { authorization: "Bearer not-the-secret" });
  expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toMatchObject([
    { level: 20, request: "r-1", method: "PUT", path: "/v1/pools/p", status: 201, milliseconds: expect.any(Number) as number },
    { level: 30, status: 400, code: "invalid" },
    { level: 30, status: 401, code: "unauthenticated", path: "/v1/pools/p" },
  ]);
  expect(lines.join()).not.toMatch(/secret|10\.9/);
});

test("the API description is OpenAPI 3.1 of the routes that are served", async () => {
  const world = await openWorld();
  const { body } = await must(world.send("GET", "/openapi.json"));
  expect(body.openapi).toBe("3.1.0");
  const served = world.app.routes.map(({ method, path }) => `${method} ${path.replace(/:([a-z]+)/g, "{$1}")}`).sort();
  const described = Object.entries(body.paths as Record<string, object>)
    .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
    .sort();
  expect(described).toEqual(served);
  for (const path of [
    "/v1/pools",
    "/v1/pools/{pool}",
    "/v1/endpoints",
    "/v1/endpoints/{endpoint}",
    "/v1/endpoints/{endpoint}/request",
    "/v1/endpoints/{endpoint}/requests",
    "/v1/endpoints/{endpoint}/close",
    "/v1/endpoints/{endpoint}/cancel",
    "/v1/leases",
    "/v1/leases/{id}",
    "/v1/events",
    "/v1/events/watch",
    "/v1/log",
    "/v1/log/verify",
    "/livez",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/docs",
    "/",
  ]) {
    expect(Object.keys(body.paths)).toContain(path);
  }
  // Every reference leads somewhere, and every message of the request is described.
  const schemas = Object.keys(body.components.schemas);
  for (const [, name] of JSON.stringify(body).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) expect(schemas).toContain(name);
  expect(schemas).toEqual(
    expect.arrayContaining(["NetworkServiceRequest", "Connection", "IPContext", "Pool", "Endpoint", "Lease", "Event", "Problem"]),
  );
});

test("the pages need nothing from elsewhere", async () => {
  const world = await openWorld();
  for (const path of ["/", "/docs"]) {
    const { headers, text } = await must(world.send("GET", path));
    expect(headers.get("content-type")).toContain("text/html");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|https?:\/\/|src=/);
  }
  const docs = (await world.send("GET", "/docs")).text;
  expect(docs).toContain("/v1/endpoints/{endpoint}/request");
  expect(docs).toContain("Holdfast-Lease-Expires");
});

test("a restarted host reads the same log and answers the same clients with the same addresses", async () => {
  const disk = new MemoryDisk();
  const before = await openServing({ disk });
  const first = await must(request(before, "c"));
  await before.realm.close();
  const after = await openWorld({ disk, clock: before.clock });
  const healed = await must(request(after, "c"));
  expect(healed.body.context).toEqual(first.body.context);
  expect(healed.headers.get("holdfast-outcome")).toBe("restored");
});
