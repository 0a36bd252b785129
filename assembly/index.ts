// The raw door: what a host calls. No logic here.
//
// A host writes records into input(length), calls, and reads what RESULT points at: u32 answers, u32
// their length, u32 events, u32 their length, u32 how many events. Memory may have grown after any call.
import { startArena } from "./arena";
import { applyAll } from "./apply";
import { forgetFoundEndpoint } from "./endpoint";
import { eventCount, setEventCount } from "./event";
import { hashState } from "./hash";
import { forget, undoAll } from "./journal";
import { ADDRESSES, BLOCKS, CLIENTS, ENDPOINTS, FAULT, LEASES, POOLS, REALM, RESULT } from "./layout";
import { forgetFoundPool } from "./pool";
import { answerQuery } from "./query";
import { answersAt, answersLength, eventsAt, eventsLength, inputBuffer, roomForOutput } from "./record";
import { SNAPSHOT_VERSION, isRestored, restoreNext, snapshotNext, snapshotStart } from "./snapshot";
import { submitAll } from "./submit";
import { startTable } from "./table";

/** Lays out an empty realm. The first call, once. */
export function start(): void {
  memory.fill(REALM, 0, 4096);
  startArena();
  startTable(CLIENTS);
  startTable(ADDRESSES);
  startTable(LEASES);
  startTable(POOLS);
  startTable(ENDPOINTS);
  startTable(BLOCKS);
  // Even the first command must be able to be refused.
  roomForOutput(1024, 0);
}

/** Version of the snapshot form; a host keeps it beside its snapshots. */
export function version(): u32 {
  return SNAPSHOT_VERSION;
}

/** Where to write `length` bytes of input; 0 when memory is at its limit. */
export function input(length: u32): usize {
  return inputBuffer(length);
}

function report(): void {
  store<u32>(RESULT, <u32>answersAt());
  store<u32>(RESULT, answersLength(), 4);
  store<u32>(RESULT, <u32>eventsAt(), 8);
  store<u32>(RESULT, eventsLength(), 12);
  store<u32>(RESULT, eventCount(), 16);
}

/** Decides the commands in the input, tentatively. Gives how many there were. */
export function submit(length: u32): u32 {
  const commands = submitAll(length);
  report();
  return commands;
}

/** The first `commands` tentative commands are durable. */
export function commit(commands: u32): void {
  forget(commands);
}

/** Undoes every tentative command. */
export function abort(): void {
  undoAll();
  forgetFoundPool();
  forgetFoundEndpoint();
}

/** Applies the events in the input. Gives how many there were. */
export function apply(length: u32): u32 {
  return applyAll(length);
}

/** Answers the query in the input. */
export function query(length: u32): void {
  setEventCount(0);
  answerQuery(length);
  report();
}

/** Where the 16 bytes of the state's digest are. */
export function hash(): usize {
  hashState(RESULT + 32);
  return RESULT + 32;
}

/** Starts a snapshot; no command until it is complete. */
export function snapshotBegin(): void {
  snapshotStart();
}

/** The next chunk of the snapshot, as RESULT's answers; gives its length, 0 at the end. */
export function snapshotChunk(): u32 {
  const length = snapshotNext();
  report();
  store<u32>(RESULT, length, 4);
  return length;
}

/** Restores from the chunk in the input. */
export function restoreChunk(length: u32): void {
  restoreNext(length);
}

/** 1 once the last chunk has been restored. */
export function restored(): u32 {
  return isRestored() ? 1 : 0;
}

/** Where the result of the last call is described. */
export function result(): usize {
  return RESULT;
}

/** Where the realm's counters are: u64 position, u64 time of the last event, ... */
export function realm(): usize {
  return REALM;
}

/** Why the core stopped; readable after a trap. */
export function fault(): u32 {
  return load<u32>(FAULT);
}
