// What becomes of each address the client brought along. Replace, never append: an answer holds no
// address of this realm that is not leased to this client now. What the realm never issued stays.
import { bitsOf } from "./address";
import { allocate } from "./arena";
import {
  PRESENT_DST,
  PRESENT_DST_ROUTE,
  PRESENT_SRC,
  PRESENT_SRC_ROUTE,
  answeredCount,
  answeredLength,
  answeredSingle,
  answeredWithDst,
  answeredWithSrc,
  firstAnswered,
  isMovedFrom,
  markPresent,
} from "./answered";
import { POLICY_APPEND } from "./endpoint";
import {
  ITEM_DST,
  ITEM_DST_NEXT_HOP,
  ITEM_DST_ROUTE,
  ITEM_POLICY_FROM,
  ITEM_SRC,
  ITEM_SRC_ROUTE,
  itemCount,
  itemFamily,
  itemHi,
  itemLength,
  itemLo,
  itemPlace,
} from "./item";
import { wasIssued } from "./occupancy";
import { prefixWith } from "./pool";

export const KEEP: u32 = 0;
export const DROP: u32 = 1;
/** KEEP_AS + 2 * lease (+ 1 for its src): keep the item with another address. */
export const KEEP_AS: u32 = 2;

export const ITEMS_MAX: u32 = 1024;

let verdicts: usize = 0;
export let dstFirst: i32 = -1;

export function verdictsAt(): usize {
  return verdicts;
}

/** Whether the address belongs to this realm: in a prefix of it now, or once issued from one that left. */
function isOurs(family: u32, hi: u64, lo: u64): bool {
  return prefixWith(family, hi, lo) != 0 || wasIssued(family, hi, lo);
}

function keepUnlessOurs(i: u32): u32 {
  return isOurs(itemFamily(i), itemHi(i), itemLo(i)) ? DROP : KEEP;
}

/** Where an item fills a place of the answer; KEEP for the first that does, DROP for its repetitions. */
function matched(lease: i32, bit: u32): u32 {
  return markPresent(<u32>lease, bit) ? KEEP : DROP;
}

function matchAddress(i: u32): i32 {
  const family = itemFamily(i);
  const hi = itemHi(i);
  const lo = itemLo(i);
  const place = itemPlace(i);
  let lease: i32 = -1;
  if (place == ITEM_SRC) lease = answeredWithSrc(family, hi, lo);
  else if (place == ITEM_DST || place == ITEM_SRC_ROUTE) lease = answeredWithDst(family, hi, lo);
  else if (place == ITEM_DST_ROUTE) {
    lease = answeredWithSrc(family, hi, lo);
    if (lease >= 0 && answeredSingle(<u32>lease)) lease = -1;
  }
  if (lease < 0) return -1;
  const length = place == ITEM_SRC || place == ITEM_DST ? answeredLength(<u32>lease) : bitsOf(family);
  return itemLength(i) == length ? lease : -1;
}

// @ts-ignore: decorator
@inline
function presentBit(place: u32): u32 {
  if (place == ITEM_SRC) return PRESENT_SRC;
  if (place == ITEM_DST) return PRESENT_DST;
  return place == ITEM_SRC_ROUTE ? PRESENT_SRC_ROUTE : PRESENT_DST_ROUTE;
}

function isAnswer(family: u32, hi: u64, lo: u64): bool {
  return answeredWithSrc(family, hi, lo) >= 0 || answeredWithDst(family, hi, lo) >= 0;
}

function replaceVerdict(i: u32): u32 {
  const place = itemPlace(i);
  const family = itemFamily(i);
  if (place <= ITEM_DST_ROUTE) {
    // A route to more than one address is not an address of anybody.
    if (place >= ITEM_SRC_ROUTE && itemLength(i) != bitsOf(family)) return KEEP;
    const lease = matchAddress(i);
    return lease >= 0 ? matched(lease, presentBit(place)) : keepUnlessOurs(i);
  }
  const hi = itemHi(i);
  const lo = itemLo(i);
  if (place == ITEM_POLICY_FROM) {
    if (answeredWithSrc(family, hi, lo) >= 0 || !isOurs(family, hi, lo)) return KEEP;
    const lease = firstAnswered(family, false);
    return lease < 0 ? DROP : KEEP_AS + (<u32>lease << 1) + 1;
  }
  if (isAnswer(family, hi, lo) || !isOurs(family, hi, lo)) return KEEP;
  // A next hop at an address that is gone moves along: left alone it would lead nowhere.
  const towardsClient = place == ITEM_DST_NEXT_HOP;
  const lease = firstAnswered(family, !towardsClient);
  return lease < 0 ? DROP : KEEP_AS + (<u32>lease << 1) + (towardsClient ? 1 : 0);
}

function appendVerdict(i: u32): u32 {
  const place = itemPlace(i);
  if (place > ITEM_DST_ROUTE) return KEEP;
  const family = itemFamily(i);
  const lease = matchAddress(i);
  if (lease >= 0) {
    markPresent(<u32>lease, presentBit(place));
    return KEEP;
  }
  if (place >= ITEM_SRC_ROUTE && itemLength(i) != bitsOf(family)) return KEEP;
  const hi = itemHi(i);
  const lo = itemLo(i);
  return isMovedFrom(family, hi, lo) && !isAnswer(family, hi, lo) ? DROP : KEEP;
}

/** Judges every item of the running request against the answered leases. */
export function judgeItems(policy: u32): void {
  if (verdicts == 0) verdicts = allocate(ITEMS_MAX);
  dstFirst = -1;
  let led = false;
  for (let i: u32 = 0; i < itemCount; i++) {
    const verdict = policy == POLICY_APPEND ? appendVerdict(i) : replaceVerdict(i);
    store<u8>(verdicts + i, <u8>verdict);
    if (policy != POLICY_APPEND && verdict == KEEP && !led && itemPlace(i) == ITEM_DST) {
      led = true;
      if (answeredWithDst(itemFamily(i), itemHi(i), itemLo(i)) < 0) dstFirst = firstPair();
    }
  }
}

function firstPair(): i32 {
  for (let i: u32 = 0; i < answeredCount; i++) {
    if (!answeredSingle(i)) return <i32>i;
  }
  return -1;
}
