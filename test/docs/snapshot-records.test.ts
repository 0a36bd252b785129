import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatAddress } from "#events/address.js";
import { RecordReader } from "#events/codec.js";
import { readEndpointSettings, readPoolSettings } from "#events/codec/settings.js";
import { Core } from "#events/core.js";

/** A reader of snapshots written from docs/events.md alone: it must meet nothing that is not told there. */
interface Found {
  readonly records: Map<number, number>;
  readonly leases: { readonly number: number; readonly status: number; readonly dst: string; readonly src: string; readonly pool: string }[];
  readonly counts: readonly number[];
  readonly position: number;
}

function read(chunks: readonly Uint8Array[]): Found {
  const records = new Map<number, number>();
  const leases: Found["leases"] = [];
  let counts: number[] = [];
  let position = 0;
  for (const framed of chunks) {
    const input = new RecordReader(framed);
    expect(input.u32()).toBe(input.left);
    while (input.left > 0) {
      const record = input.u8();
      records.set(record, (records.get(record) ?? 0) + 1);
      switch (record) {
        case 1: {
          expect(input.u32()).toBe(Buffer.from("HFSN").readUInt32LE());
          expect(input.u32()).toBe(3);
          position = input.u64();
          for (let i = 0; i < 4; i++) input.u64();
          counts = Array.from({ length: 7 }, () => input.u32());
          break;
        }
        case 2:
          input.text8();
          input.u64();
          readPoolSettings(input);
          break;
        case 3:
          input.big64();
          input.big64();
          input.u32();
          break;
        case 4: {
          input.text8();
          input.u64();
          const chainAt = input.at;
          if (input.u32() !== 0) {
            input.at = chainAt;
            readEndpointSettings(input);
          }
          break;
        }
        case 5:
          expect([4, 6]).toContain(input.u8());
          input.big64();
          expect(input.big64() % 64n).toBe(0n);
          expect(input.big64()).not.toBe(0n);
          break;
        case 6: {
          const family = input.u8();
          input.u8();
          const status = input.u32() & 3;
          const number = input.u64();
          input.u64();
          input.big64();
          const dst = formatAddress(input.address(family));
          const src = formatAddress(input.address(family));
          leases.push({ number, status, dst, src, pool: input.text8() });
          for (let i = 0; i < 3; i++) input.text8();
          break;
        }
        case 7:
          input.big64();
          break;
        default:
          throw new Error(`record ${record} is not in docs/events.md`);
      }
    }
  }
  return { records, leases, counts, position };
}

describe("docs/events.md tells all records of a snapshot", () => {
  it("at the end of the golden vectors", () => {
    const vectors = JSON.parse(readFileSync(new URL("../golden/vectors.json", import.meta.url), "utf8")) as { events: string }[];
    const core = Core.create();
    for (const { events } of vectors) core.apply(Buffer.from(events, "hex"));
    const { records, leases, counts, position } = read(core.snapshot());
    expect(position).toBe(core.position);
    expect([...records.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const [openings, pools, endpoints, , held, , blocks] = counts;
    expect([openings, pools, endpoints, held, blocks]).toEqual([2, records.get(2), records.get(4), records.get(6), records.get(5)]);
    // Live ones are those a reader is shown, with their addresses.
    const shown = core.reader().leases({}, undefined, 1000).items;
    expect(leases.map(({ number, dst, src, pool }) => ({ number, dst, src, pool })).sort((a, b) => a.number - b.number)).toEqual(
      shown.map(({ lease, dst, src, pool }) => ({ number: lease, dst, src, pool })),
    );
    const ended = leases.map(({ status }) => status === 1);
    expect(ended.lastIndexOf(false)).toBeLessThan(ended.indexOf(true));
  });
});
