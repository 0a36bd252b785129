import { expect, test } from "vitest";
import { must, openServing, request } from "./world.js";
import type { World } from "./world.js";

/** Messages of the stream until `count` events are there. */
async function watch(
  world: World,
  path: string,
  count: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ id: number; type: string; data: { position: number; type: string } }[]> {
  const response = await world.app.request(path, { headers });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  const events = () =>
    [...text.matchAll(/^id: (\d+)\nevent: (.+)\ndata: (.+)\n\n/gm)].map(([, id, type, data]) => ({
      id: Number(id),
      type: type ?? "",
      data: JSON.parse(data ?? "") as { position: number; type: string },
    }));
  while (events().length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return events();
}

test("events are read from a position on, page by page, filtered by type and subject", async () => {
  const world = await openServing();
  for (const client of ["a", "b", "c"]) await must(request(world, client));
  await must(request(world, "b"));
  const all = (await must(world.send("GET", "/v1/events"))).body;
  expect(all.items.map(({ position, type }: { position: number; type: string }) => [position, type])).toEqual([
    [1, "realm-opened"],
    [2, "pool-defined"],
    [3, "endpoint-defined"],
    [4, "lease-granted"],
    [5, "lease-granted"],
    [6, "lease-granted"],
    [7, "lease-renewed"],
  ]);
  expect([all.head, all.next]).toEqual([7, undefined]);

  const paged: unknown[] = [];
  let after = "0";
  for (;;) {
    const { body } = await must(world.send("GET", `/v1/events?limit=3&after=${after}`));
    paged.push(...body.items);
    if (body.next === undefined) break;
    after = body.next;
  }
  expect(paged).toEqual(all.items);

  const positions = async (query: string): Promise<number[]> =>
    (await must(world.send("GET", `/v1/events?${query}`))).body.items.map(({ position }: { position: number }) => position);
  expect(await positions("type=lease-granted,lease-renewed&after=4")).toEqual([5, 6, 7]);
  expect(await positions("subject=b")).toEqual([5, 7]);
  expect(await positions("subject=172.16.1.5")).toEqual([6]);
  expect(await positions("after=7")).toEqual([]);
});

test("a stream starts where it is told and goes on with what happens", async () => {
  const world = await openServing();
  await must(request(world, "a"));
  const old = watch(world, "/v1/events/watch?after=2", 3);
  const fresh = watch(world, "/v1/events/watch", 1);
  const resumed = watch(world, "/v1/events/watch?after=0", 2, { "last-event-id": "3" });
  const granted = watch(world, "/v1/events/watch?after=0&type=lease-granted", 2);
  await must(request(world, "b"));
  expect((await old).map(({ id, type }) => [id, type])).toEqual([
    [3, "endpoint-defined"],
    [4, "lease-granted"],
    [5, "lease-granted"],
  ]);
  expect((await fresh).map(({ id }) => id)).toEqual([5]);
  expect((await resumed).map(({ id }) => id)).toEqual([4, 5]);
  const [first] = await granted;
  expect(first).toMatchObject({ id: 4, type: "lease-granted", data: { position: 4, type: "lease-granted" } });
});

test("an event of the stream is the event of the list", async () => {
  const world = await openServing();
  await must(request(world, "a"));
  const listed = (await world.send("GET", "/v1/events")).body.items;
  expect((await watch(world, "/v1/events/watch?after=0", 4)).map(({ data }) => data)).toEqual(listed);
});

test("a stream from another log's position is refused", async () => {
  const world = await openServing();
  expect((await world.send("GET", "/v1/events/watch?after=99")).body).toMatchObject({
    code: "invalid",
    field: "after",
    rule: "position-ahead",
    head: 3,
  });
  expect((await world.send("GET", "/v1/events/watch", undefined, { "last-event-id": "99" })).body).toMatchObject({
    field: "Last-Event-ID",
  });
});

test("open streams are counted, and one too many is told to come back", async () => {
  const world = await openServing();
  const open: Response[] = [];
  for (let n = 0; n < 256; n++) open.push(await world.app.request("/v1/events/watch"));
  const refused = await world.send("GET", "/v1/events/watch");
  expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([503, "overloaded", "1"]);
  expect((await world.send("GET", "/metrics")).text).toContain("holdfast_watchers 256");
  for (const response of open) await response.body?.cancel();
  expect((await world.send("GET", "/metrics")).text).toContain("holdfast_watchers 0");
  await (await world.app.request("/v1/events/watch")).body?.cancel();
});

test("the log tells its head, its room and its snapshots, and verifies itself", async () => {
  const world = await openServing();
  const snapshot = await world.realm.snapshot();
  const { body } = await must(world.send("GET", "/v1/log"));
  expect(body).toMatchObject({
    realm: "test",
    store: "memory",
    head: { position: 3, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    oldest: 1,
    room: { state: "ok" },
  });
  expect(body.snapshots).toMatchObject([{ position: 3, stateHash: snapshot.stateHash, at: expect.stringMatching(/Z$/) as string }]);
  const report = (await must(world.send("POST", "/v1/log/verify"))).body;
  expect(report).toMatchObject({ ok: true, events: 3, head: body.head, snapshots: [{ position: 3, ok: true }] });
});
