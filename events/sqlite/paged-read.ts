/**
 * Turns pages from the reader thread into batches, asking for the next page while the consumer works on this one.
 * Never more than two pages are in memory, however long the log is and however slow the consumer.
 */
import { sameDigest, DIGEST_BYTES } from "../chain.js";
import { StoreError, type Batch, type Head } from "../store.js";
import type { Cursor, Page, ReadCheck } from "./page.js";
import type { ReaderThread } from "./reader-thread.js";

/** Bytes of a page: some thousands of events, half a millisecond of reading. */
export const PAGE_BYTES = 1024 * 1024;

export interface ReadRange {
  readonly from: number;
  /** The head at the time of the call: reading ends there, and must meet its digest. */
  readonly head: Head;
  readonly check: ReadCheck;
}

/** Batches from the one that holds `from` up to the head, each checked. Throws `corrupt` behind the last good one. */
export async function* pagedRead(reader: ReaderThread, path: string, range: ReadRange): AsyncGenerator<Batch> {
  const { head, check } = range;
  if (range.from > head.position) return;
  const cursor = await reader.ask({ ask: "cursor", from: range.from });
  let ahead: Promise<Page> | undefined = askPage(reader, cursor, head, check, true);
  try {
    let previous = cursor.previous;
    while (ahead !== undefined) {
      const page: Page = await ahead;
      // A fast reader thread would keep the event loop inside its messages for as long as the log is.
      await new Promise((resolve) => setImmediate(resolve));
      const last: boolean = page.fault !== undefined || page.after.next > head.position;
      ahead = last ? undefined : askPage(reader, page.after, head, check, true);
      for (const [index, batch] of page.batches.entries()) {
        const digest = page.digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
        yield { ...batch, digest, previous, body: page.bodies[index]! };
        previous = digest;
      }
      if (page.fault !== undefined) throw corrupt(path, page.fault);
      if (last) expectHead(path, page, head);
    }
  } finally {
    // A consumer that leaves early never awaits the page that is on its way; its failure must not end the process.
    ahead?.catch(() => undefined);
  }
}

/** As `pagedRead` from the beginning, without the bodies: for verifying. Hears where each page ended. */
export async function* pagedCheck(reader: ReaderThread, head: Head): AsyncGenerator<Page> {
  if (head.position < 1) return;
  let cursor = await reader.ask({ ask: "cursor", from: 1 });
  while (cursor.next <= head.position) {
    const page: Page = await askPage(reader, cursor, head, "digest", false);
    yield page;
    if (page.fault !== undefined) return;
    cursor = page.after;
  }
}

/** The error for a page's fault. */
export function corrupt(path: string, fault: { position: number; reason: string }): StoreError {
  return new StoreError("corrupt", `log ${path} is damaged at position ${fault.position}: ${fault.reason}; verify it and restore a backup`, {
    position: fault.position,
    path,
  });
}

function askPage(reader: ReaderThread, cursor: Cursor, head: Head, check: ReadCheck, bodies: boolean): Promise<Page> {
  const asked = reader.ask({ ask: "page", cursor, upTo: head.position, check, bodies, bytes: PAGE_BYTES });
  // Awaited a page later: without a handler until then a failure would count as unhandled.
  asked.catch(() => undefined);
  return asked;
}

function expectHead(path: string, page: Page, head: Head): void {
  if (page.after.next !== head.position + 1 || !sameDigest(page.after.previous, head.digest)) {
    const first = page.batches.at(-1)?.first ?? page.after.next;
    throw corrupt(path, { position: first, reason: "the newest batch is not the one that was written" });
  }
}
