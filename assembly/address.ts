// 128-bit addresses as two halves. IPv4 lives in the low half with the high one zero; families are kept
// in trees of their own, so ::1.2.3.4 and 1.2.3.4 never meet.

export const V4: u32 = 4;
export const V6: u32 = 6;

/** Second result of the functions here: the high half. Read it before the next call. */
export let resultHi: u64 = 0;
export let resultLo: u64 = 0;

export function answer(hi: u64, lo: u64): void {
  resultHi = hi;
  resultLo = lo;
}

// @ts-ignore: decorator
@inline
export function less(aHi: u64, aLo: u64, bHi: u64, bLo: u64): bool {
  return aHi < bHi || (aHi == bHi && aLo < bLo);
}

// @ts-ignore: decorator
@inline
export function same(aHi: u64, aLo: u64, bHi: u64, bLo: u64): bool {
  return aLo == bLo && aHi == bHi;
}

/** Bits of an address of the family. */
// @ts-ignore: decorator
@inline
export function bitsOf(family: u32): u32 {
  return family == V4 ? 32 : 128;
}

/** Host mask of a prefix: the bits behind `length`, in resultHi and resultLo. */
export function hostMask(family: u32, length: u32): void {
  const host = bitsOf(family) - length;
  if (host >= 128) answer(~(<u64>0), ~(<u64>0));
  else if (host >= 64) answer(host == 64 ? 0 : ((<u64>1) << (host - 64)) - 1, ~(<u64>0));
  else answer(0, ((<u64>1) << host) - 1);
}

/** The address behind, in resultHi and resultLo. False at the very end of the family's line. */
// @ts-ignore: decorator
@inline
export function next(hi: u64, lo: u64): bool {
  const nextLo = lo + 1;
  const nextHi = nextLo == 0 ? hi + 1 : hi;
  answer(nextHi, nextLo);
  return nextLo != 0 || nextHi != 0;
}
