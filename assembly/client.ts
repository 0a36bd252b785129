// Who holds leases: the name and id of the first path segment. A client exists while it has a record of
// a lease, live or remembered.
//
// 16 bytes: u32 hash, u32 text, u32 first lease, u32 next in the table's bucket.
// The text block: u16 name length, u16 id length, name, id.
import { digestBytes } from "./digest";
import { give, put32, take } from "./journal";
import { CLIENTS } from "./layout";
import { sameBytes } from "./text";
import { addEntry, bucketOf, removeEntry } from "./table";

const HASH: usize = 0;
const TEXT: usize = 4;
export const FIRST_LEASE: usize = 8;
const NEXT: usize = 12;
const CLIENT: u32 = 16;

// @ts-ignore: decorator
@inline
export function clientHash(client: u32): u32 {
  return load<u32>(client, HASH);
}
// @ts-ignore: decorator
@inline
export function clientNext(client: u32): usize {
  return <usize>client + NEXT;
}
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
  let at = <usize>load<u32>(bucketOf(CLIENTS, hash));
  while (at != 0) {
    if (load<u32>(at, HASH) == hash) {
      const text = <usize>load<u32>(at, TEXT);
      if (
        load<u16>(text) == nameLength &&
        load<u16>(text, 2) == idLength &&
        sameBytes(text + 4, name, nameLength) &&
        sameBytes(text + 4 + nameLength, id, idLength)
      ) {
        return at;
      }
    }
    at = load<u32>(at, NEXT);
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
  store<u32>(client, hash, HASH);
  store<u32>(client, <u32>text, TEXT);
  store<u32>(client, 0, FIRST_LEASE);
  store<u32>(client, 0, NEXT);
  addEntry(CLIENTS, hash, <u32>client);
  return client;
}

/** Forgets a client that has no record of a lease left. */
export function dropClientIfIdle(client: usize): void {
  if (load<u32>(client, FIRST_LEASE) != 0) return;
  removeEntry(CLIENTS, load<u32>(client, HASH), <u32>client);
  const text = <usize>load<u32>(client, TEXT);
  give(text, 4 + <u32>load<u16>(text) + <u32>load<u16>(text, 2));
  give(client, CLIENT);
}

export function setFirstLease(client: usize, lease: usize): void {
  put32(client + FIRST_LEASE, <u32>lease);
}
