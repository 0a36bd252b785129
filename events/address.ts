/**
 * Addresses and prefixes as values: text to number and back, nothing else.
 *
 * An IPv4 address is one unsigned 32-bit number; an IPv6 address is four of them, most significant
 * first. Families never mix: an IPv4 address written as ::ffff:a.b.c.d is an IPv6 address here, because
 * keeping both in one number line once let an excluded ::/0 empty IPv4 pools.
 */

export interface Ipv4Address {
  readonly family: 4;
  readonly value: number;
}

export interface Ipv6Address {
  readonly family: 6;
  readonly words: readonly [number, number, number, number];
}

export type Address = Ipv4Address | Ipv6Address;

/** `length` counts leading bits; the bits of `address` behind it may be set, see `hasHostBits`. */
export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

function parseIpv4(text: string): number | undefined {
  let value = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x2e) {
      if (digits === 0 || ++dots > 3) return undefined;
      value = value * 256 + octet;
      octet = 0;
      digits = 0;
      continue;
    }
    // A leading zero means octal to some readers and decimal to others: refused, as RFC 6943 advises.
    if (c < 0x30 || c > 0x39 || (digits > 0 && octet === 0)) return undefined;
    octet = octet * 10 + c - 0x30;
    if (octet > 255) return undefined;
    digits++;
  }
  return dots === 3 && digits > 0 ? value * 256 + octet : undefined;
}

function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  if (c >= 0x61 && c <= 0x66) return c - 0x57;
  if (c >= 0x41 && c <= 0x46) return c - 0x37;
  return -1;
}

function parseIpv6(text: string): [number, number, number, number] | undefined {
  const groups: number[] = [];
  let gap = -1;
  let i = 0;
  if (text.startsWith("::")) {
    gap = 0;
    i = 2;
  }
  while (i < text.length) {
    if (groups.length === 8) return undefined;
    let value = 0;
    const start = i;
    while (i < text.length) {
      const digit = hexDigit(text.charCodeAt(i));
      if (digit < 0) break;
      value = value * 16 + digit;
      i++;
    }
    if (i < text.length && text.charCodeAt(i) === 0x2e) {
      // The last 32 bits may be written as IPv4.
      const tail = parseIpv4(text.slice(start));
      if (tail === undefined || groups.length > 6) return undefined;
      groups.push(Math.floor(tail / 65536), tail % 65536);
      i = text.length;
      break;
    }
    if (i === start || i - start > 4) return undefined;
    groups.push(value);
    if (i === text.length) break;
    if (text.charCodeAt(i) !== 0x3a) return undefined;
    i++;
    if (text.charCodeAt(i) === 0x3a) {
      if (gap >= 0) return undefined;
      gap = groups.length;
      i++;
    } else if (i === text.length) return undefined;
  }
  if (gap < 0 ? groups.length !== 8 : groups.length > 7) return undefined;
  if (gap >= 0) groups.splice(gap, 0, ...new Array<number>(8 - groups.length).fill(0));
  const word = (n: number): number => (groups[2 * n]! * 65536 + groups[2 * n + 1]!) >>> 0;
  return [word(0), word(1), word(2), word(3)];
}

/** Reads an address without a mask; undefined if it is none. Leading zeros and zones are refused. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > 45) return undefined;
  if (text.includes(":")) {
    const words = parseIpv6(text);
    return words && { family: 6, words };
  }
  const value = parseIpv4(text);
  return value === undefined ? undefined : { family: 4, value };
}

/** Bits of an address of the family. */
export function addressBits(family: 4 | 6): 32 | 128 {
  return family === 4 ? 32 : 128;
}

/**
 * Reads `address/length`, or a bare address as its own /32 or /128; undefined if it is neither. Bits
 * behind the length are kept as they stand: whether they may be set is the caller's rule.
 */
export function parsePrefix(text: string): Prefix | undefined {
  const slash = text.indexOf("/");
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (!address) return undefined;
  if (slash < 0) return { address, length: addressBits(address.family) };
  const digits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(digits)) return undefined;
  const length = Number(digits);
  return length <= addressBits(address.family) ? { address, length } : undefined;
}

/** Text of an IPv4 address; of an IPv6 address the canonical form of RFC 5952. */
export function formatAddress(address: Address): string {
  if (address.family === 4) {
    const v = address.value;
    return `${v >>> 24}.${(v >>> 16) & 255}.${(v >>> 8) & 255}.${v & 255}`;
  }
  const groups: number[] = [];
  for (const word of address.words) groups.push(word >>> 16, word & 0xffff);
  // The longest run of zeros, the first of equals, at least two groups.
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let n = 0;
    while (i + n < 8 && groups[i + n] === 0) n++;
    if (n > length) {
      start = i;
      length = n;
    }
    if (n > 0) i += n - 1;
  }
  const hex = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  return start < 0 ? hex(0, 8) : `${hex(0, start)}::${hex(start + length, 8)}`;
}

/** Text of a prefix. */
export function formatPrefix(prefix: Prefix): string {
  return `${formatAddress(prefix.address)}/${prefix.length}`;
}

function wordMask(length: number, word: number): number {
  const bits = Math.min(32, Math.max(0, length - 32 * word));
  return bits === 0 ? 0 : (0xffffffff << (32 - bits)) >>> 0;
}

/** The prefix with every bit behind its length zero. */
export function maskPrefix(prefix: Prefix): Prefix {
  const { address, length } = prefix;
  if (address.family === 4) return { address: { family: 4, value: (address.value & wordMask(length, 0)) >>> 0 }, length };
  const w = address.words;
  const at = (n: 0 | 1 | 2 | 3): number => (w[n] & wordMask(length, n)) >>> 0;
  return { address: { family: 6, words: [at(0), at(1), at(2), at(3)] }, length };
}

/** The last address of the prefix. */
export function lastAddress(prefix: Prefix): Address {
  const { address, length } = prefix;
  if (address.family === 4) return { family: 4, value: (address.value | ~wordMask(length, 0)) >>> 0 };
  const w = address.words;
  const at = (n: 0 | 1 | 2 | 3): number => (w[n] | ~wordMask(length, n)) >>> 0;
  return { family: 6, words: [at(0), at(1), at(2), at(3)] };
}

/** Whether some bit behind the prefix's length is set. */
export function hasHostBits(prefix: Prefix): boolean {
  return !sameAddress(maskPrefix(prefix).address, prefix.address);
}

/** Whether two addresses are the same one. */
export function sameAddress(a: Address, b: Address): boolean {
  if (a.family === 4) return b.family === 4 && a.value === b.value;
  return b.family === 6 && a.words.every((word, i) => word === b.words[i]);
}

/** Orders IPv4 before IPv6, then by value. */
export function compareAddresses(a: Address, b: Address): number {
  if (a.family === 4) return b.family === 4 ? a.value - b.value : -1;
  if (b.family === 4) return 1;
  for (let i = 0; i < 4; i++) {
    const d = a.words[i]! - b.words[i]!;
    if (d !== 0) return d;
  }
  return 0;
}
