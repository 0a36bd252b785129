// The addresses of the running request's ip_context, as they stand in the input: 20 bytes each (u8
// place, u8 family, u8 mask length, u8 zero, 16 bytes address in network order, IPv4 in the last four).
import { bitsOf } from "./address";

export const ITEM_SRC: u32 = 0;
export const ITEM_DST: u32 = 1;
export const ITEM_SRC_ROUTE: u32 = 2;
export const ITEM_DST_ROUTE: u32 = 3;
export const ITEM_SRC_NEXT_HOP: u32 = 4;
export const ITEM_DST_NEXT_HOP: u32 = 5;
export const ITEM_POLICY_FROM: u32 = 6;
export const ITEM_POLICY_NEXT_HOP: u32 = 7;

export const ITEM_BYTES: u32 = 20;

let items: usize = 0;
export let itemCount: u32 = 0;

/** Takes over the items; false if one is none. */
export function openItems(at: usize, count: u32): bool {
  items = at;
  itemCount = count;
  for (let i: u32 = 0; i < count; i++) {
    const family = itemFamily(i);
    if (itemPlace(i) > ITEM_POLICY_NEXT_HOP || (family != 4 && family != 6) || itemLength(i) > bitsOf(family)) return false;
    if (family == 4 && (itemHi(i) != 0 || itemLo(i) > 0xffffffff)) return false;
  }
  return true;
}

// @ts-ignore: decorator
@inline
export function itemPlace(i: u32): u32 {
  return load<u8>(items + <usize>i * ITEM_BYTES);
}
// @ts-ignore: decorator
@inline
export function itemFamily(i: u32): u32 {
  return load<u8>(items + <usize>i * ITEM_BYTES, 1);
}
// @ts-ignore: decorator
@inline
export function itemLength(i: u32): u32 {
  return load<u8>(items + <usize>i * ITEM_BYTES, 2);
}
// @ts-ignore: decorator
@inline
export function itemHi(i: u32): u64 {
  return bswap<u64>(load<u64>(items + <usize>i * ITEM_BYTES, 4));
}
// @ts-ignore: decorator
@inline
export function itemLo(i: u32): u64 {
  return bswap<u64>(load<u64>(items + <usize>i * ITEM_BYTES, 12));
}
