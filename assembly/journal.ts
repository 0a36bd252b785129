// What it takes to undo. While commands are tentative every change to the state notes the old value
// here; abort plays the notes back in reverse, commit forgets them.
//
// Blocks: one taken by a tentative command goes back on undo; one given back by it is held until the
// command is durable, so that no later command writes over what an undo would still need.
import { allocate, release } from "./arena";
import { FAULT_PROTOCOL, stop } from "./fault";

// A note is 16 bytes: u32 address with the kind in its two low bits, u32 size (blocks), u64 old value.
const WRITE_32: u32 = 0;
const WRITE_64: u32 = 1;
const TAKEN: u32 = 2;
const GIVEN: u32 = 3;
const NOTE: usize = 16;

// Scratch, not state: where the notes and the marks between commands are.
let tracking: bool = false;
let notes: usize = 0;
let notesCapacity: u32 = 0;
let notesFirst: u32 = 0;
let notesEnd: u32 = 0;
let marks: usize = 0;
let marksCapacity: u32 = 0;
let marksFirst: u32 = 0;
let marksEnd: u32 = 0;

function growNotes(): void {
  const live = notesEnd - notesFirst;
  if (notesFirst > notesCapacity >> 1) {
    memory.copy(notes, notes + <usize>notesFirst * NOTE, <usize>live * NOTE);
  } else {
    const capacity: u32 = notesCapacity == 0 ? 4096 : notesCapacity << 1;
    const grown = allocate(capacity * <u32>NOTE);
    if (live > 0) memory.copy(grown, notes + <usize>notesFirst * NOTE, <usize>live * NOTE);
    if (notes != 0) release(notes, notesCapacity * <u32>NOTE);
    notes = grown;
    notesCapacity = capacity;
  }
  for (let i = marksFirst; i < marksEnd; i++) {
    const at = marks + (<usize>i << 2);
    store<u32>(at, load<u32>(at) - notesFirst);
  }
  notesFirst = 0;
  notesEnd = live;
}

function note(tag: u32, size: u32, old: u64): void {
  if (notesEnd == notesCapacity) growNotes();
  const at = notes + <usize>notesEnd * NOTE;
  store<u32>(at, tag);
  store<u32>(at, size, 4);
  store<u64>(at, old, 8);
  notesEnd++;
}

/** Writes 32 bits of state. `at` is a multiple of 4. */
// @ts-ignore: decorator
@inline
export function put32(at: usize, value: u32): void {
  if (tracking) note(<u32>at | WRITE_32, 0, load<u32>(at));
  store<u32>(at, value);
}

/** Writes 64 bits of state. `at` is a multiple of 8. */
// @ts-ignore: decorator
@inline
export function put64(at: usize, value: u64): void {
  if (tracking) note(<u32>at | WRITE_64, 0, load<u64>(at));
  store<u64>(at, value);
}

/** A block for state. Fresh: the caller may fill it with plain stores. */
export function take(size: u32): usize {
  const block = allocate(size);
  if (tracking) note(<u32>block | TAKEN, size, 0);
  return block;
}

/** Gives a block of state back; it is reused only once the giving command is durable. */
export function give(block: usize, size: u32): void {
  if (tracking) note(<u32>block | GIVEN, size, 0);
  else release(block, size);
}

/** Starts a tentative command. */
export function begin(): void {
  if (marksEnd == marksCapacity) {
    const live = marksEnd - marksFirst;
    if (marksFirst > marksCapacity >> 1) {
      memory.copy(marks, marks + (<usize>marksFirst << 2), <usize>live << 2);
    } else {
      const capacity: u32 = marksCapacity == 0 ? 1024 : marksCapacity << 1;
      const grown = allocate(capacity << 2);
      if (live > 0) memory.copy(grown, marks + (<usize>marksFirst << 2), <usize>live << 2);
      if (marks != 0) release(marks, marksCapacity << 2);
      marks = grown;
      marksCapacity = capacity;
    }
    marksFirst = 0;
    marksEnd = live;
  }
  store<u32>(marks + (<usize>marksEnd << 2), notesEnd);
  marksEnd++;
  tracking = true;
}

function undoTo(end: u32): void {
  while (notesEnd > end) {
    notesEnd--;
    const at = notes + <usize>notesEnd * NOTE;
    const tag = load<u32>(at);
    const where = <usize>(tag & ~3);
    const kind = tag & 3;
    if (kind == WRITE_32) store<u32>(where, <u32>load<u64>(at, 8));
    else if (kind == WRITE_64) store<u64>(where, load<u64>(at, 8));
    else if (kind == TAKEN) release(where, load<u32>(at, 4));
  }
}

/** Undoes what the running command did so far; it stays tentative, as one without effect. */
export function rollback(): void {
  undoTo(load<u32>(marks + (<usize>(marksEnd - 1) << 2)));
}

function settle(): void {
  if (marksFirst == marksEnd) {
    marksFirst = 0;
    marksEnd = 0;
    notesFirst = 0;
    notesEnd = 0;
    tracking = false;
  }
}

/** The first `commands` tentative commands are durable. */
export function forget(commands: u32): void {
  if (commands > marksEnd - marksFirst) stop(FAULT_PROTOCOL);
  marksFirst += commands;
  const end = marksFirst == marksEnd ? notesEnd : load<u32>(marks + (<usize>marksFirst << 2));
  for (let i = notesFirst; i < end; i++) {
    const at = notes + <usize>i * NOTE;
    const tag = load<u32>(at);
    if ((tag & 3) == GIVEN) release(<usize>(tag & ~3), load<u32>(at, 4));
  }
  notesFirst = end;
  settle();
}

/** Undoes every tentative command. */
export function undoAll(): void {
  undoTo(notesFirst);
  marksFirst = marksEnd;
  settle();
}

/** How many commands are tentative. */
export function tentative(): u32 {
  return marksEnd - marksFirst;
}
