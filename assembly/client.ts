// Who holds leases: the name and id of the first path segment. A client exists while it has a record of
// a lease, live or remembered.
//
// 8 bytes: u32 text, u32 first lease.
// The text block: u16 name length, u16 id length, name, id.
import { digestBytes } from "./digest";
import { give, put32, take } from "./journal";
import { CLIENTS } from "./layout";
import { sameBytes } from "./text";
import { addEntry, firstMatch, nextMatch, removeEntry } from "./table";

const TEXT: usize = 0;
const FIRST_LEASE: usize = 4;
const CLIENT: u32 = 8;

// @ts-ignore: decorator
@inline
export function clientNameLength(client: usize): u32 {
  return load<u16>(load<u32>(client, TEXT));
}
// @ts-ignore: decorator
@inline
export function clientIdLength(client: usize): u32 {
  return load<u16>(load<u32>(client, TEXT), 2);
}
// @ts-ignore: decorator
@inline
export function clientName(client: usize): usize {
  return <usize>load<u32>(client, TEXT) + 4;
}
// @ts-ignore: decorator
@inline
export function clientId(client: usize): usize {
  return clientName(client) + clientNameLength(client);
}
// @ts-ignore: decorator
@inline
export function firstLease(client: usize): usize {
  return load<u32>(client, FIRST_LEASE);
}

export function identityHash(name: usize, nameLength: u32, id: usize, idLength: u32): u32 {
  const h = digestBytes(id, idLength, digestBytes(name, nameLength, 2));
  return <u32>(h ^ (h >> 32));
}

/** The client with this identity; 0 if it is unknown. */
export function findClient(hash: u32, name: usize, nameLength: u32, id: usize, idLength: u32): usize {
  let at = firstMatch(CLIENTS, hash);
  while (at != 0) {
    const text = <usize>load<u32>(at, TEXT);
    if (
      load<u16>(text) == nameLength &&
      load<u16>(text, 2) == idLength &&
      sameBytes(text + 4, name, nameLength) &&
      sameBytes(text + 4 + nameLength, id, idLength)
    ) {
      return at;
    }
    at = nextMatch(hash);
  }
  return 0;
}

export function addClient(hash: u32, name: usize, nameLength: u32, id: usize, idLength: u32): usize {
  const text = take(4 + nameLength + idLength);
  store<u16>(text, <u16>nameLength);
  store<u16>(text, <u16>idLength, 2);
  memory.copy(text + 4, name, nameLength);
  memory.copy(text + 4 + nameLength, id, idLength);
  const client = take(CLIENT);
  store<u32>(client, <u32>text, TEXT);
  store<u32>(client, 0, FIRST_LEASE);
  addEntry(CLIENTS, hash, client);
  return client;
}

/** Forgets a client that has no record of a lease left. */
export function dropClientIfIdle(client: usize): void {
  if (load<u32>(client, FIRST_LEASE) != 0) return;
  const text = <usize>load<u32>(client, TEXT);
  const nameLength = <u32>load<u16>(text);
  const idLength = <u32>load<u16>(text, 2);
  removeEntry(CLIENTS, identityHash(text + 4, nameLength, text + 4 + nameLength, idLength), client);
  give(text, 4 + nameLength + idLength);
  give(client, CLIENT);
}

export function setFirstLease(client: usize, lease: usize): void {
  put32(client + FIRST_LEASE, <u32>lease);
}
