/**
 * Recomputes a log from its first batch on: CRC, framing, positions, links, digests, then every snapshot file.
 * The work is in the reader thread; the event loop only counts.
 */
import type { SnapshotFolder } from "../snapshot-folder.js";
import { sameDigest } from "../chain.js";
import type { Head, VerifyReport } from "../store.js";
import { pagedCheck } from "./paged-read.js";
import type { ReaderThread } from "./reader-thread.js";

/** A tenth of a second: often enough for a progress bar, seldom enough to cost nothing. */
const PROGRESS_MS = 100;

/** Checks everything up to `head`. The report's head is the last batch found right. */
export async function verifyThrough(
  reader: ReaderThread,
  snapshots: SnapshotFolder,
  head: Head,
  progress?: (position: number) => void,
): Promise<VerifyReport> {
  let batches = 0;
  let events = 0;
  let good: Head = { position: 0, digest: new Uint8Array(32) };
  let fault: VerifyReport["fault"];
  let newest = 0;
  let said = performance.now();
  for await (const page of pagedCheck(reader, head)) {
    batches += page.batches.length;
    for (const { first, count } of page.batches) {
      events += count;
      newest = first;
    }
    good = { position: page.after.next - 1, digest: page.after.previous };
    if (page.fault !== undefined) fault = page.fault;
    if (progress !== undefined && performance.now() - said >= PROGRESS_MS) {
      progress(good.position);
      said = performance.now();
    }
  }
  if (fault === undefined && head.position > 0 && !sameDigest(good.digest, head.digest))
    fault = { position: newest, reason: "the newest batch is not the one that was written" };
  progress?.(good.position);
  const verdicts = await snapshots.verify();
  return {
    ok: fault === undefined && verdicts.every(({ ok }) => ok),
    batches,
    events,
    head: good,
    ...(fault === undefined ? {} : { fault }),
    snapshots: verdicts,
  };
}
