/** The words of the control file that fault-shim.c maps. Kept open: its file lies outside the directory that fails. */
import { openSync, readSync, writeSync } from "node:fs";

export const CONTROL_BYTES = 256;
const MODE = { off: 0, once: 1, on: 2, lose: 3, cut: 4, lie: 5 };
const ERRNO = { EIO: 5, ENOSPC: 28 };
const CALLS = { write: 1, sync: 2, rename: 4, truncate: 8 };

export class Control {
  #file;

  constructor(path) {
    this.#file = openSync(path, "r+");
  }

  /** Arms the shim: the n-th of these calls, on files whose name ends in `match`, goes wrong in this way. */
  arm({ mode, nth, error = "EIO", seed = 1, calls = Object.keys(CALLS), match = "" }) {
    const words = Buffer.alloc(CONTROL_BYTES);
    const counted = calls.reduce((bits, call) => bits | CALLS[call], 0);
    [MODE[mode], nth, ERRNO[error], seed, counted, 0, 0].forEach((word, index) => words.writeUInt32LE(word, index * 4));
    words.write(match, 28, "latin1");
    writeSync(this.#file, words, 0, words.byteLength, 0);
  }

  /** Lets everything work from here on, and tells what has happened. */
  disarm() {
    const words = Buffer.alloc(CONTROL_BYTES);
    readSync(this.#file, words, 0, words.byteLength, 0);
    writeSync(this.#file, Buffer.alloc(4), 0, 4, 0);
    const text = words.subarray(64);
    return { fired: words.readUInt32LE(24) === 1, what: text.toString("latin1", 0, text.indexOf(0)) };
  }
}
