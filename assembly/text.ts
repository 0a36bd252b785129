// Names as blocks of memory: u16 length, then the bytes.
import { digestBytes } from "./digest";
import { give, take } from "./journal";

/** Copies `length` bytes into a block of their own. */
export function keepText(at: usize, length: u32): usize {
  const block = take(length + 2);
  store<u16>(block, <u16>length);
  memory.copy(block + 2, at, length);
  return block;
}

export function dropText(block: usize): void {
  give(block, textLength(block) + 2);
}

// @ts-ignore: decorator
@inline
export function textLength(block: usize): u32 {
  return load<u16>(block);
}

// @ts-ignore: decorator
@inline
export function textBytes(block: usize): usize {
  return block + 2;
}

/** Whether two runs of bytes are equal. */
export function sameBytes(a: usize, b: usize, length: u32): bool {
  let p: u32 = 0;
  while (p + 8 <= length) {
    if (load<u64>(a + p) != load<u64>(b + p)) return false;
    p += 8;
  }
  while (p < length) {
    if (load<u8>(a + p) != load<u8>(b + p)) return false;
    p++;
  }
  return true;
}

export function textIs(block: usize, at: usize, length: u32): bool {
  return textLength(block) == length && sameBytes(textBytes(block), at, length);
}

/**
 * Whether the bytes are UTF-8 (RFC 3629: no surrogates, nothing over-long, nothing above U+10FFFF). A text that is
 * not would be in the log for ever, and no reader could show the events around it.
 */
export function isUtf8(at: usize, length: u32): bool {
  let p = at;
  const end = at + length;
  while (p < end) {
    // Nearly every text is ASCII: eight bytes at a step.
    while (p + 8 <= end && (load<u64>(p) & 0x8080808080808080) == 0) p += 8;
    if (p >= end) return true;
    const c = <u32>load<u8>(p);
    if (c < 0x80) {
      p++;
      continue;
    }
    const more: u32 = c >= 0xc2 && c <= 0xdf ? 1 : c >= 0xe0 && c <= 0xef ? 2 : c >= 0xf0 && c <= 0xf4 ? 3 : 0;
    if (more == 0 || p + more >= end) return false;
    const second = <u32>load<u8>(p, 1);
    if (c == 0xe0 && second < 0xa0) return false;
    if (c == 0xed && second > 0x9f) return false;
    if (c == 0xf0 && second < 0x90) return false;
    if (c == 0xf4 && second > 0x8f) return false;
    for (let i: u32 = 1; i <= more; i++) {
      if ((load<u8>(p + i) & 0xc0) != 0x80) return false;
    }
    p += 1 + more;
  }
  return true;
}

/** Names of pools and endpoints: letters, digits, dot, underscore, hyphen; 1 to 64 of them. */
export function isName(at: usize, length: u32): bool {
  if (length == 0 || length > 64) return false;
  for (let i: u32 = 0; i < length; i++) {
    const c = load<u8>(at + i);
    const ok =
      (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39) || c == 0x2e || c == 0x5f || c == 0x2d;
    if (!ok) return false;
  }
  return true;
}

// @ts-ignore: decorator
@inline
export function digestText(at: usize, length: u32): u64 {
  return digestBytes(at, length, 1);
}

/** Byte order, then length: the order in which lists are shown. */
export function compareBytes(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const shared = min(aLength, bLength);
  for (let i: u32 = 0; i < shared; i++) {
    const x = <i32>load<u8>(a + i);
    const y = <i32>load<u8>(b + i);
    if (x != y) return x - y;
  }
  return <i32>aLength - <i32>bLength;
}
