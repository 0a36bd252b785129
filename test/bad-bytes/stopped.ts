import { expect } from "vitest";
import type { Core } from "#events/core.js";
import { CoreStopped } from "#events/core.js";
import { commandBytes, entries } from "./history.js";

/** Runs `work`; gives its value, or the stop it ended in. Any other error is one nobody expects and goes on. */
export function stoppedOr<T>(work: () => T): T | CoreStopped {
  try {
    return work();
  } catch (error) {
    if (error instanceof CoreStopped) return error;
    throw error;
  }
}

/** A stopped core says so to whatever it is asked: half a change must not be seen. */
export function expectDead(core: Core): void {
  const record = commandBytes(entries[0]!);
  const calls: readonly (() => unknown)[] = [
    () => core.submitBytes(record),
    () => core.submit([entries[0]!]),
    () => core.commit(0),
    () => core.abort(),
    () => core.apply(new Uint8Array()),
    () => core.hash(),
    () => core.snapshot(),
    () => core.query(new Uint8Array(10)),
    () => core.reader().pools(undefined, 10),
    () => core.restore([]),
  ];
  for (const call of calls) expect(call, String(call)).toThrow(CoreStopped);
}
