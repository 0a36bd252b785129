// Reading and writing records: plain little-endian fields, strings as a length and their bytes.
// The layouts are specified byte by byte in docs/events.md.
import { allocate, release, reserve } from "./arena";
import { FAULT_INPUT, FAULT_MEMORY, stop } from "./fault";
import { V4 } from "./address";

// --- input: one buffer, one cursor -----------------------------------------------------------------

let input: usize = 0;
let inputCapacity: u32 = 0;
let cursor: usize = 0;
let limit: usize = 0;

/** A buffer of at least `length` bytes for the host to fill; 0 when memory is at its limit. */
export function inputBuffer(length: u32): usize {
  if (length > inputCapacity || input == 0) {
    if (length > 0x40000000) return 0;
    let capacity: u32 = 65536;
    while (capacity < length) capacity <<= 1;
    if (!reserve(capacity)) return 0;
    if (input != 0) release(input, inputCapacity);
    input = allocate(capacity);
    inputCapacity = capacity;
  }
  return input;
}

export function openInput(length: u32): void {
  if (length > inputCapacity) stop(FAULT_INPUT);
  cursor = input;
  limit = input + length;
}

// @ts-ignore: decorator
@inline
export function inputLeft(): u32 {
  return <u32>(limit - cursor);
}
// @ts-ignore: decorator
@inline
export function inputAt(): usize {
  return cursor;
}
export function seekInput(at: usize): void {
  cursor = at;
}

/** Skips `length` bytes and says where they are. A record that ends too early is no record. */
// @ts-ignore: decorator
@inline
export function readBytes(length: u32): usize {
  const at = cursor;
  if (<u64>length > <u64>(limit - at)) stop(FAULT_INPUT);
  cursor = at + length;
  return at;
}
// @ts-ignore: decorator
@inline
export function readU8(): u32 {
  return load<u8>(readBytes(1));
}
// @ts-ignore: decorator
@inline
export function readU16(): u32 {
  return load<u16>(readBytes(2));
}
// @ts-ignore: decorator
@inline
export function readU32(): u32 {
  return load<u32>(readBytes(4));
}
// @ts-ignore: decorator
@inline
export function readU64(): u64 {
  return load<u64>(readBytes(8));
}

/** Length of the text read last. */
export let textSize: u32 = 0;

/** A text with one byte of length. */
// @ts-ignore: decorator
@inline
export function readText8(): usize {
  const length = readU8();
  textSize = length;
  return readBytes(length);
}
/** A text with two bytes of length. */
// @ts-ignore: decorator
@inline
export function readText16(): usize {
  const length = readU16();
  textSize = length;
  return readBytes(length);
}

export let readHi: u64 = 0;
export let readLo: u64 = 0;

/** An address in network order: 4 bytes for IPv4, 16 for IPv6. Into readHi, readLo. */
// @ts-ignore: decorator
@inline
export function readAddress(family: u32): void {
  if (family == V4) {
    readHi = 0;
    readLo = bswap<u32>(readU32());
  } else {
    readHi = bswap<u64>(readU64());
    readLo = bswap<u64>(readU64());
  }
}

// --- output: answers and events, a buffer each -------------------------------------------------------

let answers: usize = 0;
let answersCapacity: u32 = 0;
let answersEnd: u32 = 0;
let events: usize = 0;
let eventsCapacity: u32 = 0;
let eventsEnd: u32 = 0;
let out: usize = 0;

export function startOutput(): void {
  answersEnd = 0;
  eventsEnd = 0;
}

function widen(buffer: usize, capacity: u32, used: u32, need: u32): usize {
  let wider: u32 = capacity == 0 ? 65536 : capacity;
  while (wider - used < need) wider <<= 1;
  if (!reserve(wider)) return 0;
  const grown = allocate(wider);
  if (buffer != 0) {
    memory.copy(grown, buffer, used);
    release(buffer, capacity);
  }
  widened = wider;
  return grown;
}
let widened: u32 = 0;

/** Room for one more command's answer and events. False when memory is at its limit. */
export function roomForOutput(answerBytes: u32, eventBytes: u32): bool {
  if (answersCapacity - answersEnd < answerBytes) {
    const grown = widen(answers, answersCapacity, answersEnd, answerBytes);
    if (grown == 0) return false;
    answers = grown;
    answersCapacity = widened;
  }
  if (eventsCapacity - eventsEnd < eventBytes) {
    const grown = widen(events, eventsCapacity, eventsEnd, eventBytes);
    if (grown == 0) return false;
    events = grown;
    eventsCapacity = widened;
  }
  return true;
}

export function answersAt(): usize {
  return answers;
}
export function answersLength(): u32 {
  return answersEnd;
}
export function eventsAt(): usize {
  return events;
}
export function eventsLength(): u32 {
  return eventsEnd;
}
export function cutEvents(length: u32): void {
  eventsEnd = length;
}

let outStart: usize = 0;
let outLimit: usize = 0;

export function openAnswer(): void {
  outStart = answers + answersEnd;
  out = outStart;
  outLimit = answers + answersCapacity;
}
export function closeAnswer(): void {
  store<u32>(outStart, <u32>(out - outStart));
  answersEnd = <u32>(out - answers);
}
export function openEvent(): void {
  outStart = events + eventsEnd;
  out = outStart;
  outLimit = events + eventsCapacity;
}
export function closeEvent(): void {
  store<u32>(outStart, <u32>(out - outStart));
  eventsEnd = <u32>(out - events);
}
/** Makes room for `bytes` more of the open answer, which may move. False when memory is at its limit. */
export function widenAnswer(bytes: u32): bool {
  const used = <u32>(out - answers);
  if (answersCapacity - used >= bytes) return true;
  const start = outStart - answers;
  const grown = widen(answers, answersCapacity, used, bytes);
  if (grown == 0) return false;
  answers = grown;
  answersCapacity = widened;
  outStart = grown + start;
  out = grown + used;
  outLimit = grown + widened;
  return true;
}

/** Where the record being written starts. */
export function outAt(): usize {
  return outStart;
}

/** Bytes of the record being written so far. */
export function outLength(): u32 {
  return <u32>(out - outStart);
}

// @ts-ignore: decorator
@inline
function room(bytes: u32): usize {
  const at = out;
  // The room was made before the command; running out of it is a mistake in its bound, not an input.
  if (at + bytes > outLimit) stop(FAULT_MEMORY);
  out = at + bytes;
  return at;
}
/** Room for a run of fields that the caller stores itself: one check instead of one for each. */
// @ts-ignore: decorator
@inline
export function openRun(bytes: u32): usize {
  const at = out;
  if (at + bytes > outLimit) stop(FAULT_MEMORY);
  return at;
}
/** Ends a run where its last field ends. */
// @ts-ignore: decorator
@inline
export function closeRun(end: usize): void {
  out = end;
}
/** Stores a short text behind its length; gives where it ends. May touch seven bytes beyond. */
// @ts-ignore: decorator
@inline
export function putText8(to: usize, at: usize, length: u32): usize {
  store<u8>(to, <u8>length);
  const start = to + 1;
  if (length > 64) memory.copy(start, at, length);
  else for (let i: u32 = 0; i < length; i += 8) store<u64>(start + i, load<u64>(at + i));
  return start + length;
}
/** Stores an address in network order; gives where it ends. */
// @ts-ignore: decorator
@inline
export function putAddress(to: usize, family: u32, hi: u64, lo: u64): usize {
  if (family == V4) {
    store<u32>(to, bswap<u32>(<u32>lo));
    return to + 4;
  }
  store<u64>(to, bswap<u64>(hi));
  store<u64>(to, bswap<u64>(lo), 8);
  return to + 16;
}

// @ts-ignore: decorator
@inline
export function writeU8(value: u32): void {
  store<u8>(room(1), <u8>value);
}
// @ts-ignore: decorator
@inline
export function writeU16(value: u32): void {
  store<u16>(room(2), <u16>value);
}
// @ts-ignore: decorator
@inline
export function writeU32(value: u32): void {
  store<u32>(room(4), value);
}
// @ts-ignore: decorator
@inline
export function writeU64(value: u64): void {
  store<u64>(room(8), value);
}
// @ts-ignore: decorator
@inline
export function writeBytes(at: usize, length: u32): void {
  // Texts are short: the call that a bulk copy is would cost more than the bytes. The last step may write up
  // to seven bytes too many, into room that the next field overwrites.
  if (length > 64) {
    memory.copy(room(length), at, length);
    return;
  }
  room(length + 8);
  out -= 8;
  const to = out - length;
  for (let i: u32 = 0; i < length; i += 8) store<u64>(to + i, load<u64>(at + i));
}
// @ts-ignore: decorator
@inline
export function writeText8(at: usize, length: u32): void {
  writeU8(length);
  writeBytes(at, length);
}
// @ts-ignore: decorator
@inline
export function writeAddress(family: u32, hi: u64, lo: u64): void {
  if (family == V4) writeU32(bswap<u32>(<u32>lo));
  else {
    writeU64(bswap<u64>(hi));
    writeU64(bswap<u64>(lo));
  }
}
