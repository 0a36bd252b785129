/** One pair in the core: how the cost depends on live leases, on holes between them and on excluded prefixes. */
import { Core, type CommandEntry } from "#events/core.js";
import type { Command, RequestLease } from "#events/command.js";
import { cancel, emptyCore, ENVELOPE, filledCore, map, numbers, submitAll, warmUp, type Shape } from "./core/filled.js";
import { encodeRuns, type RawCore } from "./core/raw.js";
import type { Report } from "./harness/group.js";
import { permutation, seeded } from "./harness/random.js";
import { repeat } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";
import type { Prefix } from "#events/address.js";
import { defineEndpoint, definePool, excludedPrefixes, request, v4 } from "./workload.js";

/** Commands in one submit: what a busy host finds waiting. */
const RUN = 64;

/** First client number no filled core uses. */
function firstNew(live: number): number {
  return 2 * live;
}

/** Requests of clients the core does not know, with exclusions from the first free address on. */
function* newRequests(live: number, shape: Shape, exclusions: number, count: number): Generator<RequestLease> {
  const excluded = excludedPrefixes(exclusions, shape === "whole" ? 2 * live : 0);
  for (const client of numbers(firstNew(live), firstNew(live) + count)) yield request(client, { excluded });
}

/** Bursts in one repetition: one alone is over before the processor has warmed to it. */
function burstsOf(scale: Scale): number {
  return scale.name === "tiny" ? 1 : 8;
}

/** Microseconds a command, submit and commit together; the state is the same before each repetition. */
function timeRuns(core: RawCore, runs: readonly Uint8Array[]): number {
  const start = performance.now();
  let commands = 0;
  for (const run of runs) {
    const decided = core.submit(run);
    core.commit(decided);
    commands += decided;
  }
  return ((performance.now() - start) * 1_000) / commands;
}

/** Bursts of grants, each taken back before the next outside the time. */
function measureRaw(scale: Scale, core: RawCore, requests: Iterable<RequestLease>, cancels: Iterable<Command>) {
  const granting = encodeRuns(requests, ENVELOPE, RUN);
  const cancelling = encodeRuns(cancels, ENVELOPE, RUN);
  const bursts = burstsOf(scale);
  return repeat(scale.repetitions, () => {
    let spent = 0;
    for (let burst = 0; burst < bursts; burst++) {
      spent += timeRuns(core, granting);
      timeRuns(core, cancelling);
    }
    return spent / bursts;
  });
}

function measureNew(scale: Scale, core: RawCore, live: number, shape: Shape, exclusions: number) {
  const cancels = map(numbers(firstNew(live), firstNew(live) + scale.grants), cancel);
  return measureRaw(scale, core, newRequests(live, shape, exclusions, scale.grants), cancels);
}

async function rawRows(scale: Scale, report: Report): Promise<void> {
  for (const live of scale.liveLeases) {
    const core = filledCore(live, "whole");
    for (const exclusions of scale.exclusions) {
      const budget = exclusions === 0 ? { limit: 0.5 } : exclusions === 1_000 ? { limit: 5 } : undefined;
      report({
        name: `grant.raw.live-${live}.exclusions-${exclusions}`,
        unit: "us",
        figure: await measureNew(scale, core, live, "whole", exclusions),
        peer: { go: `nsm.pull-pair.exclusions-${exclusions}` },
        ...(budget !== undefined && { budget }),
      });
    }
    // In random order, so that each finds its client and its lease outside the caches.
    const order = permutation(live, seeded(live)).subarray(0, scale.grants);
    const renewals = encodeRuns(map(order, (client) => request(client)), ENVELOPE, RUN);
    report({
      name: `grant.raw.live-${live}.renewal`,
      unit: "us",
      figure: await repeat(scale.repetitions, () => {
        let spent = 0;
        for (let burst = 0; burst < burstsOf(scale); burst++) spent += timeRuns(core, renewals);
        return spent / burstsOf(scale);
      }),
      peer: { go: `nsm.p2p-refresh.live-${scale.peerFragments[0]}` },
    });
  }
}

/** Nothing is taken back, so that what growing tables cost is in the figure. */
async function growingRows(scale: Scale, report: Report): Promise<void> {
  for (const live of scale.liveLeases) {
    const core = filledCore(live, "whole");
    const count = scale.grants * burstsOf(scale);
    const runsOf = (repetition: number): Uint8Array[] => {
      const from = firstNew(live) + repetition * count;
      return encodeRuns(map(numbers(from, from + count), (client) => request(client)), ENVELOPE, RUN);
    };
    const runs = Array.from({ length: scale.repetitions + 1 }, (_, repetition) => runsOf(repetition));
    report({
      name: `grant.raw.live-${live}.growing`,
      unit: "us",
      figure: await repeat(scale.repetitions, (repetition) => timeRuns(core, runs[repetition] as Uint8Array[])),
      budget: { limit: 0.5 },
    });
  }
}

/** The worst place for excluded prefixes: everything between them is taken, so that each has to be stepped over. */
async function steppedOverRow(scale: Scale, report: Report): Promise<void> {
  const exclusions = scale.exclusions.at(-1) as number;
  const excluded = excludedPrefixes(exclusions);
  const gapPairs = exclusions * 64;
  const core = emptyCore();
  // Excluded one group of gaps after the other: stepping over all of them for each lease would take minutes.
  const around = 50;
  for (let from = 0; from < exclusions; from += around) {
    const pairs = Math.min(around, exclusions - from) * 64;
    const near = [...blanket(from), ...excluded.slice(from, from + around)];
    submitAll(core, map(numbers(from * 64, from * 64 + pairs), (client) => request(client, { excluded: near })));
  }
  const count = Math.min(scale.grants, 512);
  const requests = map(numbers(gapPairs, gapPairs + count), (client) => request(client, { excluded }));
  report({
    name: `grant.raw.stepped-over.exclusions-${exclusions}`,
    unit: "us",
    figure: await measureRaw(scale, core, requests, map(numbers(gapPairs, gapPairs + count), cancel)),
    peer: { go: `nsm.pull-pair.exclusions-${exclusions}` },
    ...(exclusions === 1_000 && { budget: { limit: 5 } }),
    note: `${gapPairs} live pairs fill every gap between the excluded prefixes`,
  });
}

/** One prefix list over everything before the gap number `gap`. */
function blanket(gap: number): Prefix[] {
  const prefixes: Prefix[] = [];
  let at = 0;
  for (let bit = 1 << 15; bit > 0; bit >>= 1) {
    if ((gap & bit) === 0) continue;
    prefixes.push({ address: v4(at), length: 24 - Math.log2(bit) });
    at += bit * 256;
  }
  return prefixes;
}

async function fragmentedRows(scale: Scale, report: Report): Promise<void> {
  for (const live of scale.liveLeases) {
    const core = filledCore(live, "fragmented");
    const atPeer = scale.peerFragments.includes(live) ? live : (scale.peerFragments.at(-1) as number);
    for (const exclusions of scale.exclusions) {
      report({
        name: `grant.raw.fragmented-${live}.exclusions-${exclusions}`,
        unit: "us",
        figure: await measureNew(scale, core, live, "fragmented", exclusions),
        ...(exclusions === 0 && {
          peer: { go: `nsm.pull-pair.fragmented-${atPeer}` },
          ...(atPeer !== live && { note: `the peer has ${atPeer} live pairs, its cost grows with them` }),
        }),
      });
    }
  }
}

/** The same through `Core`: commands and answers as objects, encoded and decoded in the time. */
async function codecRows(scale: Scale, report: Report): Promise<void> {
  for (const exclusions of scale.exclusions) {
    const core = Core.create();
    const send = (entries: CommandEntry[]): void => {
      const { outcomes } = core.submit(entries);
      core.commit(outcomes.length);
      const refused = outcomes.find((outcome) => !outcome.ok);
      if (refused !== undefined) throw new Error(`the core refused a command of the benchmark: ${JSON.stringify(refused)}`);
    };
    const entry = (command: CommandEntry["command"]): CommandEntry => ({ command, envelope: ENVELOPE });
    send([entry({ kind: "open-realm", graceSeconds: 0 }), entry(definePool()), entry(defineEndpoint())]);
    const requests = [...newRequests(0, "whole", exclusions, scale.grants)].map(entry);
    const figure = await repeat(scale.repetitions, () => {
      const start = performance.now();
      for (let i = 0; i < requests.length; i += RUN) send(requests.slice(i, i + RUN));
      const spent = ((performance.now() - start) * 1_000) / requests.length;
      send([...map(numbers(0, scale.grants), (client) => entry(cancel(client)))]);
      return spent;
    });
    report({
      name: `grant.codec.exclusions-${exclusions}`,
      unit: "us",
      figure,
      peer: { go: `nsm.p2p-request.exclusions-${exclusions}` },
      ...(exclusions > 0 && { note: "most of it is writing the excluded prefixes; the peer parses them from text" }),
    });
  }
}

export async function run(scale: Scale, report: Report): Promise<void> {
  warmUp(scale);
  await rawRows(scale, report);
  await growingRows(scale, report);
  await steppedOverRow(scale, report);
  await fragmentedRows(scale, report);
  await codecRows(scale, report);
}
