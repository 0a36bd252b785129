// 64-bit mixing for tables and for the state hash. Integers only: float bits differ between hosts.

const A: u64 = 0x9e3779b97f4a7c15;
const B: u64 = 0xbf58476d1ce4e5b9;
const C: u64 = 0x94d049bb133111eb;

/** Spreads every input bit over every output bit (the finaliser of splitmix64). */
// @ts-ignore: decorator
@inline
export function mix(value: u64): u64 {
  let x = value + A;
  x = (x ^ (x >> 30)) * B;
  x = (x ^ (x >> 27)) * C;
  return x ^ (x >> 31);
}

/** Folds one more word into a running digest. */
// @ts-ignore: decorator
@inline
export function fold(digest: u64, word: u64): u64 {
  const x = (digest ^ word) * B;
  return (x ^ (x >> 29)) * C + A;
}

/** Digest of a run of bytes; equal bytes give equal digests, whatever their alignment. */
export function digestBytes(at: usize, length: u32, seed: u64): u64 {
  let h = fold(seed, length);
  let p = at;
  const end = at + (length & ~7);
  while (p < end) {
    h = fold(h, load<u64>(p));
    p += 8;
  }
  const rest = length & 7;
  if (rest != 0) {
    let word: u64 = 0;
    let i: u32 = 0;
    if (rest & 4) {
      word = load<u32>(p);
      i = 4;
    }
    while (i < rest) {
      word |= (<u64>load<u8>(p + i)) << (i << 3);
      i++;
    }
    h = fold(h, word);
  }
  return h ^ (h >> 32);
}
