/** The chain's form is a promise to everyone who checks a log without us: these bytes never change. */
import { describe, expect, it } from "vitest";
import { BODY_BYTES_MAX, checkAppend, crcOf, digestOf, encodeHeader, framingFault, noDigest } from "#events/chain.js";
import { body, hex } from "./records.js";

describe("the digest chain", () => {
  const header = { epoch: 0x01020304, first: 2 ** 40 + 5, count: 3, at: 1_764_500_000_123 };
  const bytes = body(header.first, 3, 40);

  it("has a header of 32 bytes that says whose body follows", () => {
    expect(hex(encodeHeader(header, bytes.byteLength))).toBe("48464231" + "04030201" + "0500000000010000" + "03000000" + "78000000" + "7b4d65d49a010000");
  });

  it("gives the digests and the CRC it has always given", () => {
    const encoded = encodeHeader(header, bytes.byteLength);
    const first = digestOf(noDigest(), encoded, bytes);
    expect(hex(first)).toBe("cc8eb286eadd923fcd98e561cd14207dfbb817f4c9110c50a541834c2235e7be");
    expect(hex(digestOf(first, encoded, bytes))).toBe("e2b5f7f486d7a4b24bb7a5a56744f8505f2a083df2355e4d1dbcee23b3764b4b");
    expect(crcOf(encoded, bytes)).toBe(2328295826);
  });

  it("changes with every byte it covers", () => {
    const digests = new Set<string>();
    const add = (previous: Uint8Array, change: Partial<typeof header>, content: Uint8Array): void => {
      digests.add(hex(digestOf(previous, encodeHeader({ ...header, ...change }, content.byteLength), content)));
    };
    add(noDigest(), {}, bytes);
    add(noDigest().fill(1, 31), {}, bytes);
    add(noDigest(), { epoch: 1 }, bytes);
    add(noDigest(), { first: 1 }, bytes);
    add(noDigest(), { count: 4 }, bytes);
    add(noDigest(), { at: 1 }, bytes);
    add(noDigest(), {}, bytes.subarray(0, 119));
    add(noDigest(), {}, bytes.map((byte, index) => (index === 119 ? byte ^ 1 : byte)));
    expect(digests.size).toBe(8);
  });
});

describe("framing", () => {
  it("is sound for records of any length and for positions past 2^32", () => {
    const first = 2 ** 33 - 1;
    const mixed = Buffer.concat([body(first, 1, 24), body(first + 1, 2, 1_000), body(first + 3, 1, 25)]);
    expect(framingFault(mixed, first, 4)).toBeUndefined();
    expect(framingFault(mixed, first - 2 ** 32, 4)).toMatch(/carries position 8589934591 where 4294967295 belongs/);
    expect(framingFault(new Uint8Array(0), 1, 0)).toBeUndefined();
    expect(framingFault(new Uint8Array(1), 1, 0)).toMatch(/1 bytes stand behind/);
  });

  it("is looked at from any offset of a larger buffer", () => {
    const outer = Buffer.alloc(500);
    outer.set(body(7, 2, 50), 33);
    expect(framingFault(outer.subarray(33, 133), 7, 2)).toBeUndefined();
  });

  it("lets a body be as large as the limit and no larger", () => {
    const atLimit = body(1, 1, BODY_BYTES_MAX);
    expect(() => checkAppend(0, atLimit, 1, 0)).not.toThrow();
    expect(() => checkAppend(0, body(1, 1, BODY_BYTES_MAX + 1), 1, 0)).toThrow(/append: body has 67108865 bytes and may have 67108864/);
    expect(() => checkAppend(Number.MAX_SAFE_INTEGER, body(1, 1), 1, 0)).toThrow(/past the last exact number/);
  });
});
