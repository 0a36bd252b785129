/**
 * The short life of a log that the fault tests let go wrong at every step: open, appends alone and together, a
 * snapshot, appends, close. Says what was acknowledged and what was refused.
 */
import { openSqliteStore } from "#events/sqlite-store.js";

export const REALM = "r";
/** Position -> the salt of the body that was written there; a function of the position, so that any run can check any log. */
export const saltOf = (first) => (first * 37) & 0xff;

export function body(first, count, size = 64) {
  const bytes = Buffer.alloc(count * size);
  for (let index = 0; index < count; index++) {
    const at = index * size;
    bytes.writeUInt32LE(size, at);
    bytes.writeUInt16LE(1, at + 4);
    bytes.writeUInt16LE(1, at + 6);
    bytes.writeBigUInt64LE(BigInt(first + index), at + 8);
    bytes.fill(saltOf(first), at + 24, at + size);
  }
  return bytes;
}

export function open(dataDir) {
  // Checkpoints come often, so that they are among what goes wrong.
  return openSqliteStore({ dataDir, realm: REALM, ballastBytes: 0, checkpointEveryMs: 1 });
}

/** Plays the life of a log. `acknowledged` hears each position as its append is answered. */
export async function life(dataDir, acknowledged) {
  const refusals = [];
  const note = (what) => (error) => {
    refusals.push({ what, code: error.code ?? error.name, message: error.message });
  };
  const store = await open(dataDir).catch(note("open"));
  if (store === undefined) return refusals;
  const append = async (expected, count) => {
    const { head } = await store.append(expected, body(expected + 1, count), count, 1_000);
    acknowledged(head.position);
  };
  try {
    // A log that had been there already goes on where it is.
    let at = store.head().position;
    for (let step = 0; step < 3; step++, at += 2) await append(at, 2).catch(note("append"));
    await Promise.all([0, 1, 2].map((step) => append(at + step, 1).catch(note("append"))));
    at = store.head().position;
    if (at > 0) await store.writeSnapshot({ position: at, stateHash: "ab", coreVersion: 1 }, [Buffer.alloc(100, 1), Buffer.alloc(50, 2)]).catch(note("snapshot"));
    await append(at, 80).catch(note("append"));
    await append(store.head().position, 1).catch(note("append"));
  } finally {
    await store.close().catch(note("close"));
  }
  return refusals;
}

/**
 * Opens the log once more, on a device that works, and holds it against what was acknowledged. Gives what is wrong.
 */
export async function judge(dataDir, acknowledged) {
  const wrong = [];
  const store = await open(dataDir);
  try {
    const head = store.head().position;
    if (head < acknowledged) wrong.push(`acknowledged up to ${acknowledged}, and the log ends at ${head}`);
    let next = 1;
    for await (const batch of store.read(1)) {
      if (batch.first !== next) wrong.push(`a hole at ${next}`);
      if (Buffer.compare(batch.body, body(batch.first, batch.count)) !== 0) wrong.push(`other bytes at ${batch.first}`);
      next = batch.first + batch.count;
    }
    if (next !== head + 1) wrong.push(`read up to ${next - 1}, and the head is ${head}`);
    const report = await store.verify();
    if (!report.ok) wrong.push(`verify: ${JSON.stringify({ fault: report.fault, snapshots: report.snapshots })}`);
    for (const { position } of await store.snapshots()) {
      const parts = [];
      for await (const part of store.readSnapshot(position)) parts.push(part);
      if (Buffer.compare(Buffer.concat(parts), Buffer.concat([Buffer.alloc(100, 1), Buffer.alloc(50, 2)])) !== 0) wrong.push(`snapshot ${position} is other bytes`);
    }
    // It must be possible to go on.
    const { head: after } = await store.append(head, body(head + 1, 1), 1, 2_000);
    if (after.position !== head + 1) wrong.push(`an append after ${head} ended at ${after.position}`);
  } finally {
    await store.close();
  }
  return wrong;
}
