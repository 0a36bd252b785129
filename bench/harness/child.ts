/**
 * Runs one group in a process of its own: what one group leaves in the heap or taught the compiler never
 * changes the figures of the next.
 */
import { runGroup } from "./group.js";
import type { Row } from "./row.js";
import { scales, type ScaleName } from "./scale.js";

export type ChildMessage = { readonly row: Row } | { readonly done: true };

const [name, scale] = process.argv.slice(2) as [string, ScaleName];
const send = (message: ChildMessage): void => void process.send?.(message);
await runGroup(name, scales[scale], (row) => send({ row }));
send({ done: true });
process.disconnect?.();
