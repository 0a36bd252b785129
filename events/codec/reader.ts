/** Little-endian fields, texts and addresses out of bytes. Reading past the end throws. */
import type { Address } from "../address.js";

const decoder = new TextDecoder("utf-8", { fatal: true });

export class RecordReader {
  private bytes: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(this.bytes.buffer);
  at = 0;
  end = 0;

  constructor(bytes?: Uint8Array) {
    if (bytes) this.open(bytes);
  }

  open(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.end = bytes.length;
  }

  get left(): number {
    return this.end - this.at;
  }

  private skip(size: number): number {
    const at = this.at;
    if (at + size > this.end) throw new RangeError(`a record ends after ${this.end} bytes, in the middle of a field`);
    this.at = at + size;
    return at;
  }

  u8(): number {
    return this.bytes[this.skip(1)]!;
  }

  u16(): number {
    return this.view.getUint16(this.skip(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  u64(): number {
    const at = this.skip(8);
    const value = this.view.getUint32(at + 4, true) * 4294967296 + this.view.getUint32(at, true);
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError(`the number at byte ${at} is over 2^53 - 1`);
    return value;
  }

  /** The full 64 bits, for what is no number: digests. */
  big64(): bigint {
    return this.view.getBigUint64(this.skip(8), true);
  }

  raw(size: number): Uint8Array {
    const at = this.skip(size);
    return this.bytes.subarray(at, at + size);
  }

  text8(): string {
    return this.text(this.u8());
  }

  private text(size: number): string {
    const at = this.skip(size);
    let text = "";
    for (let i = at; i < at + size; i++) {
      const c = this.bytes[i]!;
      if (c > 0x7f) return decoder.decode(this.bytes.subarray(at, at + size));
      text += String.fromCharCode(c);
    }
    return text;
  }

  address(family: number): Address {
    if (family === 4) return { family: 4, value: this.view.getUint32(this.skip(4), false) };
    if (family !== 6) throw new RangeError(`an address of family ${family}`);
    const at = this.skip(16);
    const word = (n: number): number => this.view.getUint32(at + 4 * n, false);
    return { family: 6, words: [word(0), word(1), word(2), word(3)] };
  }

  /** An address in 16 bytes, IPv4 in the last four. */
  address16(family: number): Address {
    if (family === 4) {
      const at = this.skip(16);
      return { family: 4, value: this.view.getUint32(at + 12, false) };
    }
    return this.address(family);
  }
}
