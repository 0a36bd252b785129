/** Little-endian fields, texts and addresses into a buffer that grows. */
import type { Address } from "../address.js";

const encoder = new TextEncoder();

export class RecordWriter {
  private bytes = new Uint8Array(65536);
  private view = new DataView(this.bytes.buffer);
  private end = 0;

  get length(): number {
    return this.end;
  }

  /** What was written since the last reset; valid until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.end);
  }

  reset(): void {
    this.end = 0;
  }

  /** Forgets what was written behind the first `length` bytes. */
  truncate(length: number): void {
    this.end = Math.min(this.end, length);
  }

  private room(size: number): number {
    const at = this.end;
    if (at + size > this.bytes.length) {
      const wider = new Uint8Array(Math.max(this.bytes.length * 2, at + size));
      wider.set(this.bytes.subarray(0, at));
      this.bytes = wider;
      this.view = new DataView(wider.buffer);
    }
    this.end = at + size;
    return at;
  }

  u8(value: number): void {
    const at = this.room(1);
    this.bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.room(2);
    this.view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.room(4);
    this.view.setUint32(at, value, true);
  }

  /** A whole number below 2^53: positions and milliseconds are. */
  u64(value: number): void {
    const at = this.room(8);
    this.view.setUint32(at, value >>> 0, true);
    this.view.setUint32(at + 4, Math.floor(value / 4294967296), true);
  }

  /** All ones: what stands for `any` and `none`. */
  ones64(): void {
    const at = this.room(8);
    this.bytes.fill(255, at, at + 8);
  }

  raw(bytes: Uint8Array): void {
    const at = this.room(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** UTF-8 behind its length in one byte; texts over 255 bytes are the caller's mistake. */
  text8(text: string): void {
    this.text(text, 1, 255);
  }

  /** UTF-8 behind its length in two bytes. */
  text16(text: string): void {
    this.text(text, 2, 65535);
  }

  private text(text: string, lengthBytes: 1 | 2, max: number): void {
    const at = this.room(lengthBytes + text.length * 3);
    const from = at + lengthBytes;
    let size = 0;
    // Names are nearly always ASCII; the encoder's call costs more than the copy.
    while (size < text.length) {
      const c = text.charCodeAt(size);
      if (c > 0x7f) break;
      this.bytes[from + size] = c;
      size++;
    }
    if (size < text.length) size = encoder.encodeInto(text, this.bytes.subarray(from)).written;
    if (size > max) throw new RangeError(`a text of ${size} bytes does not fit a record (at most ${max})`);
    if (lengthBytes === 1) this.bytes[at] = size;
    else this.view.setUint16(at, size, true);
    this.end = from + size;
  }

  /** Network order: 4 bytes for IPv4, 16 for IPv6. */
  address(address: Address): void {
    if (address.family === 4) this.word(address.value);
    else for (const word of address.words) this.word(word);
  }

  /** Network order in 16 bytes, IPv4 in the last four. */
  address16(address: Address): void {
    if (address.family === 4) {
      this.u32(0);
      this.u32(0);
      this.u32(0);
      this.word(address.value);
    } else for (const word of address.words) this.word(word);
  }

  private word(value: number): void {
    const at = this.room(4);
    this.view.setUint32(at, value, false);
  }

  /** Writes the length of what follows `at` (its own four bytes included) there. */
  patchLength(at: number): void {
    this.view.setUint32(at, this.end - at, true);
  }

  patchU32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }
}
