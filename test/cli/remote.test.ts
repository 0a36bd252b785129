/** Pools, endpoints and leases against a running server: what people see, and what scripts get. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "#host/cli/run.js";
import { screen, type Screen } from "./screen.js";
import { startService, type Service } from "./service.js";

const longName = "alpine-952967c2-cd5b-46ef-ae72-b6002fc47089";
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.server.stop());

async function holdfast(args: string, shown: Screen = screen()): Promise<{ code: number; out: string; err: string }> {
  const code = await run([...args.split(" "), "--url", service.url], shown.terminal);
  return { code, out: shown.out(), err: shown.err() };
}

async function json(args: string): Promise<unknown> {
  const { code, out, err } = await holdfast(`${args} --json`);
  expect(err).toBe("");
  expect(code).toBe(0);
  return JSON.parse(out);
}

describe("a realm from empty to full", () => {
  test("empty lists say what to do next, on stderr", async () => {
    expect(await holdfast("pool list")).toEqual({
      code: 0,
      out: "",
      err: "There are no pools. Define one with `holdfast pool define`.\n",
    });
    expect(await holdfast("endpoint list")).toEqual({
      code: 0,
      out: "",
      err: "There are no endpoints. Define one with `holdfast endpoint define`.\n",
    });
    expect(await holdfast("lease list")).toEqual({ code: 0, out: "", err: "No lease matches.\n" });
    expect(await json("lease list")).toEqual({ position: 1, items: [] });
  });

  test("a new pool needs a mode and a prefix", async () => {
    const { code, err } = await holdfast("pool define p2p --mode pair");
    expect(code).toBe(2);
    expect(err).toBe(
      "Error: Pool p2p does not exist yet, so it needs --mode and --prefix.\nFor example: holdfast pool define p2p --mode pair --prefix 172.16.1.0/24\n",
    );
  });

  test("pools and endpoints are defined", async () => {
    expect((await holdfast("pool define p2p --mode pair --prefix 172.16.1.0/24")).err).toBe(
      "Pool p2p is defined at position 2.\n",
    );
    expect(await json("pool define v6 --mode single --prefix fd00:1:2::/64 --lease-seconds 3600")).toMatchObject({
      created: true,
      changed: true,
      pool: "v6",
      revision: 3,
      leaseSeconds: 3600,
    });
    expect((await holdfast("endpoint define nse --group p2p --group v6")).err).toBe("Endpoint nse is defined at position 4.\n");
    expect((await holdfast("endpoint define nse --group p2p --group v6")).err).toBe("Endpoint nse is so since position 4.\n");
  });

  test("defining again changes only what is given", async () => {
    expect((await holdfast("pool define p2p --reserved 172.16.1.255 --lease-seconds 900")).err).toBe(
      "Pool p2p is changed at position 5.\n",
    );
    expect((await holdfast("pool define p2p --lease-seconds 900")).err).toBe("Pool p2p is so already, since position 5.\n");
    expect(await json("pool show p2p")).toMatchObject({
      prefixes: ["172.16.1.0/24"],
      reserved: ["172.16.1.255/32"],
      leaseSeconds: 900,
      graceSeconds: 60,
    });
    expect(await json("pool define p2p --no-reserved")).toMatchObject({
      created: false,
      changed: true,
      reserved: [],
      leaseSeconds: 900,
    });
  });

  test("a revision that is not there any more is refused with what to do", async () => {
    const { code, err } = await holdfast("pool define p2p --lease-seconds 60 --if-revision 2");
    expect(code).toBe(3);
    expect(err).toMatch(/^Refused: .*p2p.*\n[^]*Somebody changed it meanwhile: look at it again, then repeat the command\.\n$/);
    expect((await holdfast("pool define p2p --mode pair --prefix 172.16.1.0/24 --if-revision 0")).code).toBe(3);
    expect((await holdfast("endpoint define nse --group p2p --if-revision 0")).code).toBe(3);
    expect(await json("pool show p2p")).toMatchObject({ leaseSeconds: 900 });
  });

  test("tables of pools and endpoints look as written down, in a pipe and on a terminal", async () => {
    service.pass(1000);
    for (const client of [longName, "NSC-2"]) await service.request("nse", client);
    const shown = [];
    for (const columns of [undefined, 80]) {
      for (const args of ["pool list", "pool show v6", "endpoint list", "endpoint show nse", "lease list", "lease show 7"]) {
        const { out } = await holdfast(args, screen(columns, { NO_COLOR: "1" }));
        if (columns !== undefined) for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
        shown.push(`$ holdfast ${args}${columns === undefined ? " | cat" : ""}\n${out}`);
      }
    }
    await expect(shown.join("\n")).toMatchFileSnapshot("golden/tables.txt");
  });

  test("leases are found by pool, client name, client id, address and state", async () => {
    const numbers = async (filter: string): Promise<number[]> =>
      ((await json(`lease list ${filter}`)) as { items: { lease: number }[] }).items.map(({ lease }) => lease);
    expect(await numbers("--pool p2p")).toEqual([7, 9]);
    expect(await numbers("--client NSC-2")).toEqual([9, 10]);
    expect(await numbers(`--client ${longName}-0`)).toEqual([7, 8]);
    expect(await numbers("--address 172.16.1.3")).toEqual([9]);
    expect(await numbers("--state live")).toEqual([7, 8, 9, 10]);
    expect(await numbers("--state cooling")).toEqual([]);
  });

  test("a list that goes on says how, and goes on", async () => {
    const first = await holdfast("lease list --limit 3");
    expect(first.err).toBe("There are more: go on with --cursor 9, or raise --limit.\n");
    expect(await json("lease list --limit 3")).toMatchObject({ next: "9" });
    expect(await json("lease list --cursor 9")).toMatchObject({ items: [{ lease: 10 }] });
  });

  test("--at shows what was, by position and by time", async () => {
    expect(await json("lease list --at 7")).toMatchObject({ position: 7, items: [{ lease: 7 }] });
    expect(await json("lease list --at 2026-11-30T14:00:00Z")).toMatchObject({ position: 6, items: [] });
    expect(await json("pool list --at 2")).toMatchObject({ position: 2, items: [{ pool: "p2p" }] });
    const { code, err } = await holdfast("pool list --at 999");
    expect(code).toBe(3);
    expect(err).toContain("Position 999 is above the head of the log");
  });

  test("a lease is taken away once", async () => {
    expect((await holdfast("lease release 9")).err).toBe(
      "Lease 9 is released at position 11. Its client gets the same addresses back if it asks before somebody else does.\n",
    );
    const again = await holdfast("lease release 9");
    expect(again.code).toBe(3);
    expect(again.err).toContain("Refused: Lease 9 does not exist or has ended.");
    expect(await json("lease show 9")).toMatchObject({ state: "ended" });
  });

  test("a pool drains, and is retired once nobody uses it", async () => {
    expect((await holdfast("pool drain p2p")).err).toContain("Pool p2p is draining: its 1 leases stay, new clients get none.");
    expect((await holdfast("pool drain p2p")).err).toBe("Pool p2p is draining already.\n");
    await expect(service.request("nse", "NSC-3")).rejects.toThrow();
    const used = await holdfast("pool retire p2p");
    expect(used.code).toBe(3);
    expect(used.err).toMatch(/^Refused: /);
    expect((await holdfast("endpoint retire nse")).err).toMatch(/^Endpoint nse is retired at position \d+\.\n$/);
    for (const lease of [7, 8]) await holdfast(`lease release ${lease}`);
    await holdfast("lease release 10");
    expect((await holdfast("pool retire p2p")).err).toMatch(/^Pool p2p is retired at position \d+\.\n$/);
    expect(await json("pool list")).toMatchObject({ items: [{ pool: "v6" }] });
  });

  test("what the server refuses comes with the facts, and as a document with --json", async () => {
    const { code, err } = await holdfast("pool define other --mode single --prefix fd00:1:2::/80");
    expect(code).toBe(3);
    await expect(err).toMatchFileSnapshot("golden/refusal.txt");
    const shown = screen();
    expect(await run(["pool", "show", "nothing", "--json", "--url", service.url], shown.terminal)).toBe(3);
    expect(JSON.parse(shown.err())).toMatchObject({
      error: { code: "not-found", exitCode: 3, status: 404, next: expect.any(String) as string },
    });
  });

  test("a name cannot reach another resource", async () => {
    for (const name of ["../endpoints/nse", "a/b", "a?at=1", "%2e%2e"]) {
      const { code, out } = await holdfast(`pool show ${name}`);
      expect([name, code, out]).toEqual([name, 3, ""]);
    }
    for (const name of [".", ".."]) expect((await holdfast(`pool show ${name}`)).code).toBe(2);
  });
});

test("a server that asks for a token gets the one given, and without one the refusal says how to give it", async () => {
  const secured = await startService({ HOLDFAST_TOKENS: "ops:operator:a-secret-of-some-length" });
  try {
    const without = screen();
    expect(await run(["pool", "list", "--url", secured.url], without.terminal)).toBe(3);
    expect(without.err()).toContain("Give a token with HOLDFAST_TOKEN (or --token, which others on this machine can see).");
    const given = screen();
    expect(await run(["pool", "list", "--url", secured.url, "--token", "a-secret-of-some-length"], given.terminal)).toBe(0);
    const wrong = screen();
    expect(await run(["pool", "list", "--url", secured.url, "--token", "another-one"], wrong.terminal)).toBe(3);
    expect(wrong.err()).not.toContain("another-one");
  } finally {
    await secured.server.stop();
  }
});

describe("no server", () => {
  test("nothing listens there: exit code 4 and what to try", async () => {
    const { url, stop } = await answering(200, {});
    await stop();
    const shown = screen();
    expect(await run(["pool", "list", "--url", url], shown.terminal)).toBe(4);
    expect(shown.err()).toBe(
      `Error: Cannot reach the server at ${url}: nothing listens there.\nIs it running? Start one with \`holdfast serve\`, or name another with --url or HOLDFAST_URL.\n`,
    );
  });

  test.each([
    [200, "<html>hello</html>", "its answer is not JSON"],
    [404, "<html>lost</html>", "it answered 404 without saying why"],
    [302, "", "it answered 302 without saying why"],
  ])("something else listens there (%i)", async (status, text, why) => {
    const { url, stop } = await answering(status, text);
    const shown = screen();
    expect(await run(["pool", "list", "--url", url], shown.terminal)).toBe(1);
    expect(shown.err()).toContain(`does not answer like a Holdfast server: ${why}.`);
    await stop();
  });
});

/** A server that gives every request one answer. A redirect leads to itself. */
async function answering(status: number, body: unknown): Promise<{ url: string; stop: () => Promise<void> }> {
  const server: Server = createServer((_, answer) => {
    answer.writeHead(status, status === 302 ? { location: "/elsewhere" } : {});
    answer.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
