// Blocks of linear memory by size class. Freed blocks are reused, memory never shrinks.
import { ARENA_TOP, ARENA_START, FREE_LISTS } from "./layout";
import { FAULT_MEMORY, stop } from "./fault";

/** Up to this size classes are 8 bytes apart; above it they are powers of two. */
const SMALL_MAX: u32 = 512;
const SMALL_CLASSES: u32 = SMALL_MAX >> 3;
/** Kept free behind the last block: short texts are read and written eight bytes at a time. */
const SLACK: u32 = 64;

// @ts-ignore: decorator
@inline
function classOf(size: u32): u32 {
  if (size <= SMALL_MAX) return (size + 7) >> 3;
  return SMALL_CLASSES + 1 + (32 - clz<u32>(size - 1)) - 9;
}

// @ts-ignore: decorator
@inline
function sizeOf(size: u32): u32 {
  if (size <= SMALL_MAX) return (size + 7) & ~7;
  return (<u32>1) << (32 - clz<u32>(size - 1));
}

export function startArena(): void {
  store<u32>(ARENA_TOP, <u32>ARENA_START);
  memory.fill(FREE_LISTS, 0, 512);
}

/**
 * Makes sure that `bytes` more can be given out. False when the memory limit is reached: the caller
 * refuses the command instead of failing in the middle of it.
 */
export function reserve(bytes: u32): bool {
  const need = <u64>load<u32>(ARENA_TOP) + <u64>bytes + SLACK;
  const have = (<u64>memory.size()) << 16;
  if (need <= have) return true;
  const pages = <i32>((need - have + 0xffff) >> 16);
  // Grow by an eighth: growing page by page moves the whole memory each time in some hosts.
  const eighth = <i32>(memory.size() >> 3);
  if (eighth > pages && memory.grow(eighth) >= 0) return true;
  return memory.grow(pages) >= 0;
}

/** A block of at least `size` bytes; its contents are whatever was there. */
export function allocate(size: u32): usize {
  const head = FREE_LISTS + (<usize>classOf(size) << 2);
  const free = load<u32>(head);
  if (free != 0) {
    store<u32>(head, load<u32>(free));
    return free;
  }
  const bytes = sizeOf(size);
  const top = load<u32>(ARENA_TOP);
  if (<u64>top + <u64>bytes + SLACK > (<u64>memory.size()) << 16) {
    if (!reserve(bytes)) stop(FAULT_MEMORY);
  }
  store<u32>(ARENA_TOP, top + bytes);
  return top;
}

/** Gives a block back; `size` as it was asked for. */
export function release(block: usize, size: u32): void {
  const head = FREE_LISTS + (<usize>classOf(size) << 2);
  store<u32>(block, load<u32>(head));
  store<u32>(head, <u32>block);
}
