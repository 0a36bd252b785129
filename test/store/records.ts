/** Bodies that a store accepts: records with the start it knows and recognisable bytes behind it. */

export const HEAD_BYTES = 24;

/** `count` records from position `first` on, each of `size` bytes; `salt` makes two bodies for one place differ. */
export function body(first: number, count: number, size = 64, salt = 0): Uint8Array {
  const bytes = new Uint8Array(count * size);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < count; index++) {
    const at = index * size;
    const position = first + index;
    view.setUint32(at, size, true);
    view.setUint16(at + 4, 1, true);
    view.setUint16(at + 6, 1, true);
    view.setBigUint64(at + 8, BigInt(position), true);
    view.setBigUint64(at + 16, 1_700_000_000_000n + BigInt(position), true);
    bytes.fill((position * 31 + salt) & 0xff, at + HEAD_BYTES, at + size);
  }
  return bytes;
}

/** Everything an iterable gives. */
export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
