/**
 * Every order in which clients can come back. Each order starts from its own copy of one killed server's log,
 * so no order profits from what another one left behind.
 */
import { cp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { ask, type Answered, type Brings, type Door } from "./client.js";
import { judge, orders, type Verdict } from "./verdict.js";

/** Something that serves a log: a process, or a realm in this one. */
export interface Service {
  readonly door: Door;
  /** Without a goodbye where it is a process. */
  end(): Promise<void>;
}

export interface OrderResult {
  readonly order: readonly string[];
  readonly verdict: Verdict;
}

export interface OrderTask {
  readonly folder: string;
  /** Data directory whose copies are served. */
  readonly source: string;
  readonly endpoint: string;
  readonly before: readonly Answered[];
  /** Asks first in every order, and was never there before. */
  readonly newcomer: string;
  readonly serve: (dataDir: string) => Promise<Service>;
  readonly reached: (orders: number) => void;
  readonly signal: AbortSignal;
}

/** Half of the clients bring their addresses along, half have forgotten them; which half changes with the order. */
export function brings(order: number, place: number): Brings {
  return (order + place) % 2 === 0 ? "own" : "empty";
}

/** Orders tried at the same time: most of an order is waiting for the disk. */
const atOnce = 3;

/** Results in the order of `orders`. The first failure ends it, once those under way have ended. */
export async function tryEveryOrder(task: OrderTask): Promise<OrderResult[]> {
  const all = orders(task.before);
  const results: OrderResult[] = [];
  let next = 0;
  let done = 0;
  const takeTurns = async (): Promise<void> => {
    while (next < all.length) {
      task.signal.throwIfAborted();
      const index = next++;
      try {
        results[index] = await tryOrder(task, index, all[index] ?? []);
      } catch (error) {
        next = all.length;
        throw error;
      }
      task.reached(++done);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, takeTurns));
  for (const end of ended) if (end.status === "rejected") throw end.reason;
  return results;
}

async function tryOrder(task: OrderTask, index: number, order: readonly Answered[]): Promise<OrderResult> {
  const dataDir = join(task.folder, `order-${index + 1}`);
  // Not the room that is kept for a full disk: it holds nothing and is the largest file by far.
  await cp(task.source, dataDir, { recursive: true, filter: (path) => basename(path) !== "ballast" });
  const service = await task.serve(dataDir);
  const after: Answered[] = [];
  try {
    after.push(await ask(service.door, task.endpoint, task.newcomer, `${task.newcomer}-first`, {}));
    for (const [place, { holding, context }] of order.entries()) {
      after.push(
        await ask(
          service.door,
          task.endpoint,
          holding.client,
          `${holding.client}-back`,
          brings(index, place) === "own" ? context : {},
        ),
      );
    }
  } finally {
    await service.end();
  }
  await rm(dataDir, { recursive: true, force: true });
  const before = task.before.map(({ holding }) => holding);
  return {
    order: order.map(({ holding }) => holding.client),
    verdict: judge(
      before,
      after.map(({ holding }) => holding),
    ),
  };
}
