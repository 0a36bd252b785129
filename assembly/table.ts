// Hash tables that grow one bucket at a time (linear hashing): no command ever pays for a rehash of
// everything. A bucket is one cache line: eight slots of hash and entry, so that a look-up, and a split,
// touch records only where the whole hash matches.
//
// A table is 32 bytes: u32 level, u32 split, u32 count, u32 pages, u32 capacity of the page list.
// Slots are filled from the front. A full bucket turns its last slot into a link to a further line,
// marked by the entry's lowest bit: records stand at multiples of 8.
import { allocate } from "./arena";
import { give, put32, put64, take } from "./journal";
import { WALKS } from "./layout";

const LEVEL: usize = 0;
const SPLIT: usize = 4;
const COUNT: usize = 8;
const PAGES: usize = 12;
const PAGES_CAPACITY: usize = 16;

const LINE: u32 = 64;
const SLOT: usize = 8;
const LAST_SLOT: usize = 56;
const PAGE_BITS: u32 = 6;
const PAGE_LINES: u32 = 1 << PAGE_BITS;
const PAGE_BYTES: u32 = PAGE_LINES * LINE;
const FIRST_LEVEL: u32 = PAGE_BITS;
/** Entries to a bucket, on average, in halves: above it the next bucket is split. */
const LOAD_HALVES: u32 = 11;

// @ts-ignore: decorator
@inline
function slotOf(hash: u32, entry: u32): u64 {
  return (<u64>entry << 32) | <u64>hash;
}
// @ts-ignore: decorator
@inline
function entryOf(slot: u64): u32 {
  return <u32>(slot >> 32);
}

function newLine(): usize {
  const line = take(LINE);
  memory.fill(line, 0, LINE);
  return line;
}

function newPage(): usize {
  const page = take(PAGE_BYTES);
  memory.fill(page, 0, PAGE_BYTES);
  return page;
}

/** Lays out an empty table. Only before any command. */
export function startTable(table: usize): void {
  const pages = allocate(16 << 2);
  memory.fill(pages, 0, 16 << 2);
  store<u32>(pages, <u32>newPage());
  store<u32>(table + LEVEL, FIRST_LEVEL);
  store<u32>(table + SPLIT, 0);
  store<u32>(table + COUNT, 0);
  store<u32>(table + PAGES, <u32>pages);
  store<u32>(table + PAGES_CAPACITY, 16);
}

// @ts-ignore: decorator
@inline
export function tableCount(table: usize): u32 {
  return load<u32>(table + COUNT);
}

// @ts-ignore: decorator
@inline
function bucketCount(table: usize): u32 {
  return ((<u32>1) << load<u32>(table + LEVEL)) + load<u32>(table + SPLIT);
}

// @ts-ignore: decorator
@inline
function lineAt(table: usize, bucket: u32): usize {
  const page = load<u32>(<usize>load<u32>(table + PAGES) + (<usize>(bucket >> PAGE_BITS) << 2));
  return <usize>page + (<usize>(bucket & (PAGE_LINES - 1)) << 6);
}

// @ts-ignore: decorator
@inline
function lineOf(table: usize, hash: u32): usize {
  const level = load<u32>(table + LEVEL);
  let bucket = hash & (((<u32>1) << level) - 1);
  // Buckets below the split point have been divided already and use one more bit.
  if (bucket < load<u32>(table + SPLIT)) bucket = hash & (((<u32>2) << level) - 1);
  return lineAt(table, bucket);
}

// Where the running look-up stands.
let seekLine: usize = 0;
let seekSlot: usize = 0;

/** The first entry with this hash; 0 if none. The caller compares and asks for the next. */
// @ts-ignore: decorator
@inline
export function firstMatch(table: usize, hash: u32): usize {
  seekLine = lineOf(table, hash);
  seekSlot = 0;
  return nextMatch(hash);
}

/** The next entry with this hash; 0 if none. */
export function nextMatch(hash: u32): usize {
  let line = seekLine;
  let at = seekSlot;
  while (true) {
    const slot = load<u64>(line + at);
    const entry = entryOf(slot);
    if (entry == 0) return 0;
    if ((entry & 1) != 0) {
      line = <usize>(entry & ~1);
      at = 0;
      continue;
    }
    at += SLOT;
    const past = at > LAST_SLOT;
    if (<u32>slot == hash) {
      seekLine = past ? emptyLine() : line;
      seekSlot = past ? 0 : at;
      return entry;
    }
    if (past) return 0;
  }
}

/** A line without entries, where a look-up that used the last slot ends. */
// @ts-ignore: decorator
@inline
function emptyLine(): usize {
  return WALKS + 32;
}

function addPage(table: usize, page: u32): void {
  let pages = <usize>load<u32>(table + PAGES);
  const capacity = load<u32>(table + PAGES_CAPACITY);
  if (page >= capacity) {
    const wider = take((capacity << 1) << 2);
    memory.copy(wider, pages, <usize>capacity << 2);
    memory.fill(wider + (<usize>capacity << 2), 0, <usize>capacity << 2);
    give(pages, capacity << 2);
    put32(table + PAGES, <u32>wider);
    put32(table + PAGES_CAPACITY, capacity << 1);
    pages = wider;
  }
  put32(pages + (<usize>page << 2), <u32>newPage());
}

// Appending to a chain of lines, one slot after the other.
let tailLine: usize = 0;
let tailSlot: usize = 0;

/** Writes the slot behind the tail, hanging a further line on where the last one is full. */
function appendSlot(slot: u64): void {
  if (tailSlot <= LAST_SLOT) {
    put64(tailLine + tailSlot, slot);
    tailSlot += SLOT;
    return;
  }
  const line = newLine();
  store<u64>(line, load<u64>(tailLine + LAST_SLOT));
  store<u64>(line, slot, SLOT);
  put64(tailLine + LAST_SLOT, slotOf(0, <u32>line | 1));
  tailLine = line;
  tailSlot = 2 * SLOT;
}

/** Divides the next bucket in turn between itself and a new one. */
function splitOne(table: usize): void {
  const level = load<u32>(table + LEVEL);
  const split = load<u32>(table + SPLIT);
  const added = ((<u32>1) << level) + split;
  if ((added & (PAGE_LINES - 1)) == 0) addPage(table, added >> PAGE_BITS);
  const bit = (<u32>1) << level;
  // What stays is written from the front over what was read already; what goes is appended to the new line.
  let readLine = lineAt(table, split);
  let readSlot: usize = 0;
  let stayParent: usize = 0;
  let stayLine = readLine;
  let staySlot: usize = 0;
  tailLine = lineAt(table, added);
  tailSlot = 0;
  while (true) {
    if (readSlot > LAST_SLOT) break;
    const slot = load<u64>(readLine + readSlot);
    const entry = entryOf(slot);
    if (entry == 0) break;
    if ((entry & 1) != 0) {
      readLine = <usize>(entry & ~1);
      readSlot = 0;
      continue;
    }
    readSlot += SLOT;
    if ((<u32>slot & bit) != 0) {
      appendSlot(slot);
      continue;
    }
    if (staySlot == LAST_SLOT && (entryOf(load<u64>(stayLine + LAST_SLOT)) & 1) != 0) {
      stayParent = stayLine;
      stayLine = <usize>(entryOf(load<u64>(stayLine + LAST_SLOT)) & ~1);
      staySlot = 0;
    }
    if (load<u64>(stayLine + staySlot) != slot) put64(stayLine + staySlot, slot);
    staySlot += SLOT;
  }
  cutChain(stayParent, stayLine, staySlot);
  if (split + 1 == bit) {
    put32(table + LEVEL, level + 1);
    put32(table + SPLIT, 0);
  } else put32(table + SPLIT, split + 1);
}

/** Empties the slots of a chain from here on and gives its further lines back. */
function cutChain(parent: usize, line: usize, slot: usize): void {
  let following: usize = 0;
  for (let at = slot; at <= LAST_SLOT; at += SLOT) {
    const entry = entryOf(load<u64>(line + at));
    if (entry == 0) break;
    if ((entry & 1) != 0) following = <usize>(entry & ~1);
    put64(line + at, 0);
  }
  while (following != 0) {
    const entry = entryOf(load<u64>(following + LAST_SLOT));
    give(following, LINE);
    following = (entry & 1) != 0 ? <usize>(entry & ~1) : 0;
  }
  if (slot == 0 && parent != 0) {
    put64(parent + LAST_SLOT, 0);
    give(line, LINE);
  }
}

/** Adds an entry; the caller knows that it is not there under this hash. */
export function addEntry(table: usize, hash: u32, entry: usize): void {
  tailLine = lineOf(table, hash);
  tailSlot = 0;
  while (tailSlot <= LAST_SLOT) {
    const there = entryOf(load<u64>(tailLine + tailSlot));
    if (there == 0) break;
    if ((there & 1) != 0) {
      tailLine = <usize>(there & ~1);
      tailSlot = 0;
    } else tailSlot += SLOT;
  }
  appendSlot(slotOf(hash, <u32>entry));
  const count = load<u32>(table + COUNT) + 1;
  put32(table + COUNT, count);
  if (count * 2 > bucketCount(table) * LOAD_HALVES) splitOne(table);
}

/** Takes an entry out; the last one of its bucket fills the gap. */
export function removeEntry(table: usize, hash: u32, entry: usize): void {
  const wanted = slotOf(hash, <u32>entry);
  let line = lineOf(table, hash);
  let parent: usize = 0;
  let at: usize = 0;
  let gap: usize = 0;
  while (at <= LAST_SLOT) {
    const slot = load<u64>(line + at);
    const there = entryOf(slot);
    if (there == 0) break;
    if ((there & 1) != 0) {
      parent = line;
      line = <usize>(there & ~1);
      at = 0;
      continue;
    }
    if (slot == wanted) gap = line + at;
    at += SLOT;
  }
  if (gap == 0) return;
  const last = line + at - SLOT;
  if (last != gap) put64(gap, load<u64>(last));
  put64(last, 0);
  if (at == SLOT && parent != 0) {
    put64(parent + LAST_SLOT, 0);
    give(line, LINE);
  }
  put32(table + COUNT, load<u32>(table + COUNT) - 1);
}

/** Gives a still empty table room for `count` entries, so that restoring splits nothing. */
export function widenTable(table: usize, count: u32): void {
  let level = FIRST_LEVEL;
  while (((<u64>1) << level) * LOAD_HALVES < <u64>count * 2 && level < 26) level++;
  const buckets = (<u32>1) << level;
  for (let page = bucketCount(table) >> PAGE_BITS; page < buckets >> PAGE_BITS; page++) addPage(table, page);
  put32(table + LEVEL, level);
}

// --- going through a whole table -----------------------------------------------------------------------
// Two walks may be under way at a time, each 16 bytes: u32 table, u32 next bucket, u32 line, u32 slot.

/** A walk that begins and ends within one call. */
export const BRIEF_WALK: usize = 0;
/** The walk of a snapshot, which goes on from call to call. */
export const SNAPSHOT_WALK: usize = 16;

export function startWalk(walk: usize, table: usize): void {
  const w = WALKS + walk;
  store<u32>(w, <u32>table);
  store<u32>(w, 0, 4);
  store<u32>(w, 0, 8);
  store<u32>(w, 0, 12);
}

/** The next entry; 0 at the end. The table must not change meanwhile. */
export function nextOfWalk(walk: usize): usize {
  const w = WALKS + walk;
  const table = <usize>load<u32>(w);
  let line = <usize>load<u32>(w, 8);
  let slot = <usize>load<u32>(w, 12);
  while (true) {
    if (line == 0) {
      const bucket = load<u32>(w, 4);
      if (bucket == bucketCount(table)) return 0;
      line = lineAt(table, bucket);
      slot = 0;
      store<u32>(w, bucket + 1, 4);
    }
    const entry = slot > LAST_SLOT ? 0 : entryOf(load<u64>(line + slot));
    if (entry == 0) line = 0;
    else if ((entry & 1) != 0) {
      line = <usize>(entry & ~1);
      slot = 0;
    } else {
      store<u32>(w, <u32>line, 8);
      store<u32>(w, <u32>(slot + SLOT), 12);
      return entry;
    }
  }
}
