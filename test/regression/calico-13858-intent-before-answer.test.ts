import { expect, it } from "vitest";
import { MemoryDisk } from "#events/memory-store.js";
import { ask, furnish, openOn } from "./realm-bench.js";

/** calico#13858, amazon-vpc-cni#711: the agent died in the middle of an allocation and gave the same address twice. */
it("nothing is answered before the disk has it, and what a killed process had written is not given to another", async () => {
  const disk = new MemoryDisk();
  const realm = await openOn(disk);
  await furnish(realm, "10.0.0.0/29");
  let synced = (): void => undefined;
  disk.failAppend(1, { kind: "delay", until: new Promise<void>((resolve) => (synced = resolve)) });
  let answered = false;
  const answer = ask(realm, "a").then(
    (got) => {
      answered = true;
      return got;
    },
    (error: { code: string }) => error.code,
  );
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  disk.crash();
  synced();
  expect(await answer).toBe("unknown");

  const reopened = await openOn(disk);
  expect(await ask(reopened, "b")).toBe("10.0.0.2 10.0.0.3");
  expect(await ask(reopened, "a")).toBe("10.0.0.0 10.0.0.1");
  await reopened.close();
});
