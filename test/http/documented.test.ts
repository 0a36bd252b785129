/** docs/http-api.md against the code it describes. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allowedRoles } from "#host/auth.js";
import { keepSeconds } from "#host/idempotency.js";
import { problemCodes, statusOf } from "#host/problem.js";
import { heartbeatMs, stallMs, watchersMax } from "#host/watch.js";

const text = readFileSync(new URL("../../docs/http-api.md", import.meta.url), "utf8");

test("every code is documented with its status, and no other", () => {
  const documented = [...text.matchAll(/^\| `([a-z-]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [code, Number(status)]);
  expect(documented).toEqual(problemCodes.map((code) => [code, statusOf(code)]));
});

test("the table of roles is the one that is enforced", () => {
  const columns = ["reader", "agent", "operator", "auditor"] as const;
  const rows = {
    read: "pools, endpoints, leases",
    lease: "`request`",
    configure: "change pools",
    audit: "events, log",
    observe: "`/metrics`",
  } as const;
  for (const [action, label] of Object.entries(rows)) {
    const cells = text
      .split("\n")
      .find((line) => line.startsWith(`| ${label}`))
      ?.split("|")
      .slice(2, 6)
      .map((cell) => cell.trim() === "yes");
    expect(cells, label).toEqual(columns.map((role) => allowedRoles[action as keyof typeof rows].includes(role)));
  }
});

test("times and limits are the ones that hold", () => {
  expect(keepSeconds).toBe(3600);
  expect(text).toContain("**one hour**");
  expect([heartbeatMs, stallMs, watchersMax]).toEqual([15_000, 60_000, 256]);
  expect(text).toContain("after 15 seconds of quiet");
  expect(text).toContain("at most 256 streams");
});
