/**
 * Commands that ask a realm about everything it has. Two cores with the same hash must answer them alike to
 * the last byte, whichever way they came to their state: what a hash does not cover must not decide anything.
 */
import type { Command } from "#events/command.js";
import { addressOf, parsePrefix } from "../model/address.js";
import type { State } from "../model/state.js";
import type { Asked } from "./subject.js";
import { CLIENTS, ENDPOINTS, POOLS } from "./universe.js";

const FAR_MS = 3_600_000;

/** Each script asks one in so many of the questions, which ones depends on its length: all of them take too long. */
const SHARE = 4;

/** The probes, each meant to be submitted and undone by itself. */
export function probes(state: Readonly<State>): readonly Asked[] {
  const commands: readonly Command[] = [
    ...POOLS.flatMap((pool): Command[] => [
      { kind: "retire-pool", pool },
      { kind: "define-pool", pool, mode: "pair", prefixes: ["10.0.0.0/14"].map(parsePrefix), reserved: [], leaseSeconds: 1, graceSeconds: 0, cooldownSeconds: 0, draining: false },
    ]),
    ...ENDPOINTS.flatMap((endpoint): Command[] => [
      { kind: "retire-endpoint", endpoint },
      ...[...CLIENTS, { name: "new", id: "comer" }].flatMap((client): Command[] => [
        { kind: "request", endpoint, client, connection: "probe", reselect: false, knownOnly: false, excluded: [], items: claimsOfAll(state) },
        { kind: "request", endpoint, client, connection: "probe", reselect: true, knownOnly: false, excluded: claimsOfAll(state).slice(0, 3), items: [] },
      ]),
    ]),
    ...state.records.map(({ lease }): Command => ({ kind: "release-lease", lease })),
    { kind: "expire", limit: 1 },
    { kind: "expire", limit: 1000 },
  ];
  const asked = commands.filter((_, i) => i % SHARE === state.position % SHARE);
  return asked.map((command) => ({ command, envelope: { now: state.lastTime + FAR_MS, actor: "probe", correlation: "" } }));
}

function claimsOfAll(state: Readonly<State>): (Command & { kind: "request" })["items"] {
  return state.records.slice(0, 8).flatMap(({ dst, src }) => [
    { place: "dst-address" as const, address: addressOf(dst), length: 32 },
    { place: "src-address" as const, address: addressOf(src), length: 32 },
  ]);
}
