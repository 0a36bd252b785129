/**
 * Addresses of the model: one bigint each, IPv6 below 2^128 and IPv4 from there on, so that no range of
 * one family can ever touch the other. Parsed and printed here, apart from `events/address.ts`: an oracle
 * that shares its parser with what it judges would share its mistakes.
 */
import type { Address, Prefix } from "#events/address.js";

const V4_BASE = 1n << 128n;

/** An address as one number, see the header. */
export type Point = bigint;

/** All addresses from `first` to `last`, both inclusive. */
export interface Range {
  readonly first: Point;
  readonly last: Point;
}

/** 4 or 6. */
export function familyOf(point: Point): 4 | 6 {
  return point >= V4_BASE ? 4 : 6;
}

/** How many bits an address of the point's family has. */
export function bitsOf(point: Point): number {
  return familyOf(point) === 4 ? 32 : 128;
}

export function pointOf(address: Address): Point {
  if (address.family === 4) return V4_BASE + BigInt(address.value);
  return address.words.reduce((sum, word) => (sum << 32n) + BigInt(word), 0n);
}

export function addressOf(point: Point): Address {
  if (familyOf(point) === 4) return { family: 4, value: Number(point - V4_BASE) };
  const word = (shift: bigint): number => Number((point >> shift) & 0xffff_ffffn);
  return { family: 6, words: [word(96n), word(64n), word(32n), word(0n)] };
}

/** Host bits are cut off: the range of 192.168.0.1/30 starts at .0. */
export function rangeOf(prefix: Prefix): Range {
  const point = pointOf(prefix.address);
  const size = 1n << BigInt(bitsOf(point) - prefix.length);
  const first = point - (point % size);
  return { first, last: first + size - 1n };
}

export function hasHostBits(prefix: Prefix): boolean {
  return rangeOf(prefix).first !== pointOf(prefix.address);
}

/** The prefix length of a range that is a prefix. */
export function lengthOf(range: Range): number {
  return bitsOf(range.first) - ((range.last - range.first + 1n).toString(2).length - 1);
}

export function contains(range: Range, point: Point): boolean {
  return range.first <= point && point <= range.last;
}

export function overlaps(a: Range, b: Range): boolean {
  return a.first <= b.last && b.first <= a.last;
}

export function isInside(inner: Range, outer: Range): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}

/** RFC 5952 for IPv6: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. */
export function textOf(point: Point): string {
  if (familyOf(point) === 4) {
    const value = point - V4_BASE;
    return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  }
  const groups = Array.from({ length: 8 }, (_, i) => (point >> BigInt(112 - 16 * i)) & 0xffffn);
  let best = { start: 0, count: 1 };
  for (let start = 0; start < 8; start++) {
    let count = 0;
    while (start + count < 8 && groups[start + count] === 0n) count++;
    if (count > best.count) best = { start, count };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.count < 2) return hex.join(":");
  return `${hex.slice(0, best.start).join(":")}::${hex.slice(best.start + best.count).join(":")}`;
}

export function rangeText(range: Range): string {
  return `${textOf(range.first)}/${lengthOf(range)}`;
}

/** Reads `a.b.c.d` or IPv6 with at most one `::`; throws on anything else. */
export function parsePoint(text: string): Point {
  if (!text.includes(":")) {
    const parts = text.split(".");
    if (parts.length !== 4) throw new Error(`${text} is not an IPv4 address`);
    return parts.reduce((sum, part) => {
      if (!/^\d{1,3}$/.test(part) || Number(part) > 255) throw new Error(`${text} is not an IPv4 address`);
      return (sum << 8n) + BigInt(part);
    }, 0n) + V4_BASE;
  }
  const [left = "", right] = text.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const head = groups(left);
  const tail = right === undefined ? [] : groups(right);
  const gap = 8 - head.length - tail.length;
  if (right === undefined ? gap !== 0 : gap < 1) throw new Error(`${text} is not an IPv6 address`);
  return [...head, ...Array<string>(gap).fill("0"), ...tail].reduce((sum, group) => {
    if (!/^[0-9a-f]{1,4}$/i.test(group)) throw new Error(`${text} is not an IPv6 address`);
    return (sum << 16n) + BigInt(`0x${group}`);
  }, 0n);
}

/** Reads `address/length`; a missing length means one address. Host bits stay. */
export function parsePrefix(text: string): Prefix {
  const [address = "", length] = text.split("/");
  const point = parsePoint(address);
  return { address: addressOf(point), length: length === undefined ? bitsOf(point) : Number(length) };
}

/** Reads a prefix whose host bits must be zero. */
export function parseRange(text: string): Range {
  const prefix = parsePrefix(text);
  if (hasHostBits(prefix)) throw new Error(`${text} has host bits`);
  return rangeOf(prefix);
}
