// A pool's settings as commands and events spell them, and the rules they must keep.
//
// u8 mode, u8 draining, u16 zero, u32 lease, u32 grace, u32 cool-down seconds, u16 prefixes, u16 reserved;
// then each: u8 family, u8 length, u16 zero, 16 bytes address in network order (IPv4 in the last four).
import { V4, bitsOf, hostMask, less, resultHi, resultLo } from "./address";
import { allocate } from "./arena";
import { settleRanges6 } from "./exclusion";
import { take } from "./journal";
import { MODE_PREFIX, poolName, prefixPool, prefixLength, prefixRoot, setReserved } from "./pool";
import {
  INVALID,
  POOL_OVERLAP,
  RULE_FAMILY_MIXED,
  RULE_HOST_BITS,
  RULE_LENGTH,
  RULE_MODE,
  RULE_POOLS_MEET,
  RULE_PREFIXES_MEET,
  RULE_PREFIX_COUNT,
  RULE_RESERVED_COUNT,
  RULE_RESERVED_OUTSIDE,
  RULE_SECONDS,
  TOO_LARGE,
  about,
  atAddress,
  counting,
  refuse,
} from "./refusal";
import { textBytes, textLength } from "./text";
import { aboveNode, firstHi, firstLo, floorNode, lastHi, lastLo } from "./tree";

export const PREFIXES_MAX: u32 = 256;
export const RESERVED_MAX: u32 = 1024;
export const SECONDS_MAX: u32 = 31536000;

const HEAD: u32 = 20;
const ENTRY: u32 = 20;

let base: usize = 0;
export let settingsMode: u32 = 0;
export let settingsFamily: u32 = 0;
export let settingsDraining: bool = false;
export let settingsLease: u32 = 0;
export let settingsGrace: u32 = 0;
export let settingsCooldown: u32 = 0;
export let settingsPrefixes: u32 = 0;
let reserved: u32 = 0;

export let settingsHi: u64 = 0;
export let settingsLo: u64 = 0;
export let settingsLength: u32 = 0;
let entryFamily: u32 = 0;

/** Opens settings for the functions here; false if the bytes are not as long as they say. */
export function openSettings(at: usize, length: u32): bool {
  if (length < HEAD) return false;
  base = at;
  settingsMode = load<u8>(at);
  settingsDraining = load<u8>(at, 1) != 0;
  settingsLease = load<u32>(at, 4);
  settingsGrace = load<u32>(at, 8);
  settingsCooldown = load<u32>(at, 12);
  settingsPrefixes = load<u16>(at, 16);
  reserved = load<u16>(at, 18);
  if (length != HEAD + (settingsPrefixes + reserved) * ENTRY) return false;
  // One spelling for one thing: settings are compared, and hashed, as they stand.
  if (load<u8>(at, 1) > 1 || load<u16>(at, 2) != 0) return false;
  for (let i: u32 = 0; i < settingsPrefixes + reserved; i++) {
    if (load<u16>(at + HEAD + <usize>i * ENTRY, 2) != 0) return false;
  }
  settingsFamily = settingsPrefixes == 0 ? V4 : <u32>load<u8>(at, HEAD);
  return true;
}

/** The n-th prefix (reserved ones follow the pool's own) into settingsHi, settingsLo, settingsLength. */
export function settingsAddress(i: u32): void {
  const at = base + HEAD + <usize>i * ENTRY;
  entryFamily = load<u8>(at);
  settingsLength = load<u8>(at, 1);
  settingsHi = bswap<u64>(load<u64>(at, 4));
  settingsLo = bswap<u64>(load<u64>(at, 12));
}

function refusePrefix(code: u32, rule: u32): bool {
  atAddress(entryFamily == 6 ? 6 : V4, settingsHi, settingsLo, settingsLength);
  return refuse(code, rule);
}

function checkEntry(): bool {
  // An IPv4 address stands in the last four bytes and nowhere else.
  const narrow = entryFamily != V4 || (settingsHi == 0 && settingsLo <= 0xffffffff);
  if (!narrow || entryFamily != settingsFamily) return refusePrefix(INVALID, RULE_FAMILY_MIXED);
  if (settingsLength > bitsOf(settingsFamily)) return refusePrefix(INVALID, RULE_LENGTH);
  hostMask(settingsFamily, settingsLength);
  if ((settingsHi & resultHi) != 0 || (settingsLo & resultLo) != 0) return refusePrefix(INVALID, RULE_HOST_BITS);
  return true;
}

/** The last address of the entry looked at, into resultHi, resultLo. */
function lastOfEntry(): void {
  hostMask(settingsFamily, settingsLength);
}

/** Whether the settings keep every rule that needs no look at the realm. */
export function checkSettings(): bool {
  if (settingsPrefixes == 0) return refuse(INVALID, RULE_PREFIX_COUNT);
  if (settingsPrefixes > PREFIXES_MAX) {
    counting(settingsPrefixes);
    return refuse(TOO_LARGE, RULE_PREFIX_COUNT);
  }
  if (reserved > RESERVED_MAX) {
    counting(reserved);
    return refuse(TOO_LARGE, RULE_RESERVED_COUNT);
  }
  if (settingsLease == 0 || settingsLease > SECONDS_MAX || settingsGrace > SECONDS_MAX || settingsCooldown > SECONDS_MAX) return refuse(INVALID, RULE_SECONDS);
  if (settingsMode >= MODE_PREFIX) return refuse(INVALID, RULE_MODE);
  if (settingsFamily != V4 && settingsFamily != 6) return refuse(INVALID, RULE_FAMILY_MIXED);
  for (let i: u32 = 0; i < settingsPrefixes; i++) {
    settingsAddress(i);
    if (!checkEntry()) return false;
  }
  for (let i: u32 = 1; i < settingsPrefixes; i++) {
    for (let j: u32 = 0; j < i; j++) {
      settingsAddress(j);
      const length = settingsLength;
      const hi = settingsHi;
      const lo = settingsLo;
      settingsAddress(i);
      // Two prefixes meet when the longer one starts with the shorter one's bits.
      hostMask(settingsFamily, min(length, settingsLength));
      if ((hi & ~resultHi) == (settingsHi & ~resultHi) && (lo & ~resultLo) == (settingsLo & ~resultLo)) return refusePrefix(INVALID, RULE_PREFIXES_MEET);
    }
  }
  return true;
}

/** Whether no prefix of another pool meets one of these. */
export function checkOverlap(pool: usize): bool {
  const root = prefixRoot(settingsFamily);
  for (let i: u32 = 0; i < settingsPrefixes; i++) {
    settingsAddress(i);
    lastOfEntry();
    const endHi = settingsHi | resultHi;
    const endLo = settingsLo | resultLo;
    let other = floorNode(root, settingsHi, settingsLo);
    if (other != 0 && less(lastHi(other), lastLo(other), settingsHi, settingsLo)) other = 0;
    if (other == 0) other = aboveNode(root, settingsHi, settingsLo);
    while (other != 0 && !less(endHi, endLo, firstHi(other), firstLo(other))) {
      if (prefixPool(other) != pool) {
        const text = poolName(prefixPool(other));
        about(textBytes(text), textLength(text));
        atAddress(settingsFamily, firstHi(other), firstLo(other), prefixLength(other));
        return refuse(POOL_OVERLAP, RULE_POOLS_MEET);
      }
      other = aboveNode(root, firstHi(other), firstLo(other));
    }
  }
  return true;
}

/** Whether every reserved prefix lies in one of the pool's own. */
export function checkReserved(): bool {
  for (let i: u32 = 0; i < reserved; i++) {
    settingsAddress(settingsPrefixes + i);
    if (!checkEntry()) return false;
    const hi = settingsHi;
    const lo = settingsLo;
    const length = settingsLength;
    let inside = false;
    for (let j: u32 = 0; j < settingsPrefixes && !inside; j++) {
      settingsAddress(j);
      hostMask(settingsFamily, settingsLength);
      inside = settingsLength <= length && (hi & ~resultHi) == settingsHi && (lo & ~resultLo) == settingsLo;
    }
    if (!inside) {
      settingsAddress(settingsPrefixes + i);
      return refusePrefix(INVALID, RULE_RESERVED_OUTSIDE);
    }
  }
  return true;
}

let scratch: usize = 0;

/** Gives the pool the reserved ranges of the opened settings. */
export function takeOverReserved(pool: usize): void {
  if (reserved == 0) {
    setReserved(pool, 0, 0);
    return;
  }
  if (scratch == 0) scratch = allocate(RESERVED_MAX * 32);
  for (let i: u32 = 0; i < reserved; i++) {
    settingsAddress(settingsPrefixes + i);
    hostMask(settingsFamily, settingsLength);
    const at = scratch + (<usize>i << 5);
    store<u64>(at, settingsHi);
    store<u64>(at, settingsLo, 8);
    store<u64>(at, settingsHi | resultHi, 16);
    store<u64>(at, settingsLo | resultLo, 24);
  }
  const count = settleRanges6(scratch, reserved);
  const ranges = take(count << 5);
  memory.copy(ranges, scratch, <usize>count << 5);
  setReserved(pool, ranges, count);
}
