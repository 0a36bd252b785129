import type { Dice } from "../simulation/dice.js";

/** Values that lengths, counts and numbers go wrong at. */
const edges = [0, 1, 2, 3, 4, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 63, 64, 65, 127, 128, 129, 254, 255];
const edges32 = [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x3ff, 0x400, 0x401, 0x4000, 0x4001, 0xffff, 0x10000, 0x40000000, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff];

type Change = (bytes: Uint8Array<ArrayBuffer>, dice: Dice, other: Uint8Array) => Uint8Array<ArrayBuffer>;

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts));
}

/** What befalls bytes on their way: rot, torn and doubled writes, wrong lengths, parts of something else. */
const changes: readonly Change[] = [
  (bytes, dice) => {
    const at = dice.below(bytes.length);
    bytes[at] = bytes[at]! ^ (1 << dice.below(8));
    return bytes;
  },
  (bytes, dice) => {
    bytes[dice.below(bytes.length)] = dice.chance(0.5) ? dice.pick(edges) : dice.below(256);
    return bytes;
  },
  (bytes, dice) => {
    if (bytes.length >= 4) new DataView(bytes.buffer).setUint32(dice.below(bytes.length - 3), dice.pick(edges32), true);
    return bytes;
  },
  (bytes, dice) => {
    if (bytes.length >= 2) new DataView(bytes.buffer).setUint16(dice.below(bytes.length - 1), dice.pick(edges32) & 0xffff, true);
    return bytes;
  },
  (bytes, dice) => bytes.slice(0, dice.below(bytes.length)),
  (bytes, dice) => joined(bytes, Uint8Array.from({ length: 1 + dice.below(40) }, () => dice.below(256))),
  (bytes, dice) => {
    const from = dice.below(bytes.length);
    const to = from + dice.below(bytes.length - from);
    return joined(bytes.subarray(0, from), bytes.subarray(to));
  },
  (bytes, dice) => {
    const from = dice.below(bytes.length);
    const to = from + dice.below(bytes.length - from);
    return joined(bytes.subarray(0, to), bytes.subarray(from));
  },
  (bytes, dice, other) => joined(bytes.subarray(0, dice.below(bytes.length)), other.subarray(dice.below(Math.max(1, other.length)))),
];

/** The bytes with one to three changes; `other` is what parts of them may be mixed up with. */
export function mutated(bytes: Uint8Array, dice: Dice, other: Uint8Array): Uint8Array {
  let result = Uint8Array.from(bytes);
  for (let left = 1 + dice.below(3); left > 0 && result.length > 0; left--) result = dice.pick(changes)(result, dice, other);
  return result;
}

/** Bytes without any meaning. */
export function noise(dice: Dice): Uint8Array {
  return Uint8Array.from({ length: dice.below(200) }, () => dice.below(256));
}
