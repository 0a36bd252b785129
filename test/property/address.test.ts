import fc from "fast-check";
import { IPv4, IPv4CidrRange, IPv6, IPv6CidrRange } from "ip-num";
import { describe, expect, it } from "vitest";
import { formatAddress, formatPrefix, lastAddress, maskPrefix, parseAddress, parsePrefix } from "#events/address.js";
import type { Address } from "#events/address.js";

/** Our reader of addresses against ip-num, which is too slow for the path of a request and right. */
function numberOf(address: Address): bigint {
  return address.family === 4 ? BigInt(address.value) : address.words.reduce((sum, word) => (sum << 32n) + BigInt(word), 0n);
}

const word = fc.integer({ min: 0, max: 0xffff });
/** Groups as people write them: full, with leading zeros, in capitals, a run of zeros left out. */
const ipv6Text = fc
  .record({ groups: fc.array(fc.oneof(fc.constant(0), word), { minLength: 8, maxLength: 8 }), pad: fc.boolean(), capitals: fc.boolean(), gap: fc.option(fc.nat(7)) })
  .map(({ groups, pad, capitals, gap }) => {
    const texts = groups.map((group) => group.toString(16).padStart(pad ? 4 : 1, "0"));
    let end = gap ?? 0;
    while (gap !== null && end < 8 && groups[end] === 0) end++;
    const text = gap === null || end === gap ? texts.join(":") : `${texts.slice(0, gap).join(":")}::${texts.slice(end).join(":")}`;
    return capitals ? text.toUpperCase() : text;
  });
const ipv4Text = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 }).map((octets) => octets.join("."));

describe("addresses read by us and by ip-num", () => {
  it("are the same numbers, and come back from their canonical text", () => {
    fc.assert(
      fc.property(fc.oneof(ipv4Text, ipv6Text), (text) => {
        const ours = parseAddress(text)!;
        const theirs = text.includes(":") ? IPv6.fromString(text).getValue() : IPv4.fromString(text).getValue();
        expect(numberOf(ours)).toBe(theirs);
        expect(parseAddress(formatAddress(ours))).toEqual(ours);
      }),
      { numRuns: 1000 },
    );
  });

  it("are the same first and last of a prefix", () => {
    fc.assert(
      fc.property(fc.oneof(ipv4Text, ipv6Text), fc.nat(128), (text, bits) => {
        const length = text.includes(":") ? bits : bits % 33;
        const ours = parsePrefix(`${text}/${length}`)!;
        const theirs = (text.includes(":") ? IPv6CidrRange : IPv4CidrRange).fromCidr(`${text}/${length}`);
        expect(numberOf(maskPrefix(ours).address)).toBe(theirs.getFirst().getValue());
        expect(numberOf(lastAddress(ours))).toBe(theirs.getLast().getValue());
        expect(parsePrefix(formatPrefix(ours))).toEqual(ours);
      }),
      { numRuns: 1000 },
    );
  });
});
