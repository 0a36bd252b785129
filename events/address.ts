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
