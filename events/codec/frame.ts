/**
 * A core's chunks on their way through stores that only know bytes: each with its length in front, so that they can
 * be told apart again however a file was cut when it was read. The core takes whole chunks only.
 */

const lengthBytes = 4;

/** The chunk with its length (u32, little-endian) in front. */
export function framed(chunk: Uint8Array): Uint8Array {
  const frame = new Uint8Array(lengthBytes + chunk.length);
  new DataView(frame.buffer).setUint32(0, chunk.length, true);
  frame.set(chunk, lengthBytes);
  return frame;
}

/** Puts frames together again out of bytes in pieces of any size. */
export class FrameReader {
  private pieces: Uint8Array[] = [];
  private held = 0;
  /** Bytes that have to be there before anything can be done: a length, then the frame. */
  private needed = lengthBytes;

  /** Whether bytes have come that are no whole frame yet. */
  get isInside(): boolean {
    return this.held > 0;
  }

  /** The chunks that are whole with these bytes; valid as long as `bytes` are. */
  *chunks(bytes: Uint8Array): Generator<Uint8Array> {
    this.pieces.push(bytes);
    this.held += bytes.length;
    while (this.held >= this.needed) {
      const all = this.joined();
      const end = lengthBytes + new DataView(all.buffer, all.byteOffset).getUint32(0, true);
      if (end > all.length) {
        this.needed = end;
        break;
      }
      this.pieces = [all.subarray(end)];
      this.held -= end;
      this.needed = lengthBytes;
      yield all.subarray(lengthBytes, end);
    }
    // The caller may use its buffer again: what is left over is kept as a copy.
    this.pieces.push((this.pieces.pop() as Uint8Array).slice());
  }

  private joined(): Uint8Array {
    if (this.pieces.length === 1) return this.pieces[0] as Uint8Array;
    const all = new Uint8Array(this.held);
    let at = 0;
    for (const piece of this.pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    this.pieces = [all];
    return all;
  }
}
