import { expect, it } from "vitest";
import { MemoryDisk } from "#events/memory-store.js";
import { ask, envelope, furnish, openOn, request } from "./realm-bench.js";

/** calico#8548, #7839: 30,000 handles without an owner, because owners and addresses were kept in two places. */
it("a lease is found by its client and by its address, and after the client left by neither", async () => {
  const realm = await openOn(new MemoryDisk());
  await furnish(realm, "10.0.0.0/24");
  await ask(realm, "a");
  await ask(realm, "b");
  const find = (filter: { clientName?: string; address?: string }): Promise<unknown[]> =>
    realm.read((reader) => reader.leases(filter, undefined, 10).items.filter(({ state }) => state === "live").map(({ client, src }) => [client.name, src]));
  expect(await find({ clientName: "a" })).toEqual([["a", "10.0.0.1"]]);
  expect(await find({ address: "10.0.0.0" })).toEqual([["a", "10.0.0.1"]]);
  const { client, connection } = request("a");
  await realm.submit({ kind: "close", endpoint: "e", client, connection }, envelope);
  expect([...(await find({ clientName: "a" })), ...(await find({ address: "10.0.0.0" })), ...(await find({ address: "10.0.0.1" }))]).toEqual([]);
  expect(await find({ clientName: "b" })).toEqual([["b", "10.0.0.3"]]);
  await realm.close();
});
