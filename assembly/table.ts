// Hash tables that grow one bucket at a time (linear hashing): no command ever pays for a rehash of
// everything. Entries are chained through a field of the record itself, so a table costs four bytes
// an entry.
//
// A table is 32 bytes: u32 level, u32 split, u32 count, u32 pages, u32 capacity of the page list, u32 kind.
import { allocate } from "./arena";
import { give, put32, take } from "./journal";
import { clientHash, clientNext } from "./client";
import { addressEntryHash, addressEntryNext, leaseIdHash, leaseIdNext } from "./lease";
import { poolHash, poolNext } from "./pool";
import { endpointHash, endpointNext } from "./endpoint";

const LEVEL: usize = 0;
const SPLIT: usize = 4;
const COUNT: usize = 8;
const PAGES: usize = 12;
const PAGES_CAPACITY: usize = 16;
const KIND: usize = 20;

const PAGE_BITS: u32 = 10;
const PAGE_BUCKETS: u32 = 1 << PAGE_BITS;
const PAGE_BYTES: u32 = PAGE_BUCKETS << 2;
const FIRST_LEVEL: u32 = PAGE_BITS;

export const BY_CLIENT: u32 = 0;
export const BY_ADDRESS: u32 = 1;
export const BY_LEASE: u32 = 2;
export const BY_POOL: u32 = 3;
export const BY_ENDPOINT: u32 = 4;

function newPage(): usize {
  const page = take(PAGE_BYTES);
  memory.fill(page, 0, PAGE_BYTES);
  return page;
}

/** Lays out an empty table. Only before any command. */
export function startTable(table: usize, kind: u32): void {
  const pages = allocate(16 << 2);
  memory.fill(pages, 0, 16 << 2);
  store<u32>(pages, <u32>newPage());
  store<u32>(table + LEVEL, FIRST_LEVEL);
  store<u32>(table + SPLIT, 0);
  store<u32>(table + COUNT, 0);
  store<u32>(table + PAGES, <u32>pages);
  store<u32>(table + PAGES_CAPACITY, 16);
  store<u32>(table + KIND, kind);
}

// @ts-ignore: decorator
@inline
export function tableCount(table: usize): u32 {
  return load<u32>(table + COUNT);
}

export function bucketCount(table: usize): u32 {
  return ((<u32>1) << load<u32>(table + LEVEL)) + load<u32>(table + SPLIT);
}

// @ts-ignore: decorator
@inline
export function bucketAt(table: usize, index: u32): usize {
  const page = load<u32>(<usize>load<u32>(table + PAGES) + (<usize>(index >> PAGE_BITS) << 2));
  return <usize>page + (<usize>(index & (PAGE_BUCKETS - 1)) << 2);
}

/** The place that holds the first entry with this hash's bucket. */
// @ts-ignore: decorator
@inline
export function bucketOf(table: usize, hash: u32): usize {
  const level = load<u32>(table + LEVEL);
  let index = hash & (((<u32>1) << level) - 1);
  // Buckets below the split point have been divided already and use one more bit.
  if (index < load<u32>(table + SPLIT)) index = hash & (((<u32>2) << level) - 1);
  return bucketAt(table, index);
}

// @ts-ignore: decorator
@inline
function hashOf(kind: u32, entry: u32): u32 {
  switch (kind) {
    case BY_CLIENT:
      return clientHash(entry);
    case BY_ADDRESS:
      return addressEntryHash(entry);
    case BY_LEASE:
      return leaseIdHash(entry);
    case BY_POOL:
      return poolHash(entry);
    default:
      return endpointHash(entry);
  }
}

// @ts-ignore: decorator
@inline
function nextOf(kind: u32, entry: u32): usize {
  switch (kind) {
    case BY_CLIENT:
      return clientNext(entry);
    case BY_ADDRESS:
      return addressEntryNext(entry);
    case BY_LEASE:
      return leaseIdNext(entry);
    case BY_POOL:
      return poolNext(entry);
    default:
      return endpointNext(entry);
  }
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

function splitOne(table: usize): void {
  const kind = load<u32>(table + KIND);
  const level = load<u32>(table + LEVEL);
  const split = load<u32>(table + SPLIT);
  const added = ((<u32>1) << level) + split;
  if ((added & (PAGE_BUCKETS - 1)) == 0) addPage(table, added >> PAGE_BITS);
  const bit = (<u32>1) << level;
  let stay = bucketAt(table, split);
  let go = bucketAt(table, added);
  let entry = load<u32>(stay);
  // Entries keep their order; a link is written only where it changes.
  while (entry != 0) {
    const link = nextOf(kind, entry);
    const following = load<u32>(link);
    if ((hashOf(kind, entry) & bit) != 0) {
      if (load<u32>(go) != entry) put32(go, entry);
      go = link;
    } else {
      if (load<u32>(stay) != entry) put32(stay, entry);
      stay = link;
    }
    entry = following;
  }
  if (load<u32>(stay) != 0) put32(stay, 0);
  if (load<u32>(go) != 0) put32(go, 0);
  if (split + 1 == bit) {
    put32(table + LEVEL, level + 1);
    put32(table + SPLIT, 0);
  } else {
    put32(table + SPLIT, split + 1);
  }
}

/** Adds an entry; the caller knows that it is not there. */
export function addEntry(table: usize, hash: u32, entry: u32): void {
  const bucket = bucketOf(table, hash);
  put32(nextOf(load<u32>(table + KIND), entry), load<u32>(bucket));
  put32(bucket, entry);
  const count = load<u32>(table + COUNT) + 1;
  put32(table + COUNT, count);
  if (count > bucketCount(table)) splitOne(table);
}

/** Takes an entry out; the caller knows that it is there. */
export function removeEntry(table: usize, hash: u32, entry: u32): void {
  const kind = load<u32>(table + KIND);
  let link = bucketOf(table, hash);
  while (true) {
    const here = load<u32>(link);
    if (here == entry || here == 0) break;
    link = nextOf(kind, here);
  }
  if (load<u32>(link) == 0) return;
  put32(link, load<u32>(nextOf(kind, entry)));
  put32(table + COUNT, load<u32>(table + COUNT) - 1);
}

/** Gives a still empty table room for `count` entries, so that restoring splits nothing. */
export function widenTable(table: usize, count: u32): void {
  let level = FIRST_LEVEL;
  while (((<u32>1) << level) < count && level < 28) level++;
  const buckets = (<u32>1) << level;
  for (let page = bucketCount(table) >> PAGE_BITS; page < buckets >> PAGE_BITS; page++) addPage(table, page);
  put32(table + LEVEL, level);
}
