// Who holds leases: the name and id of the first path segment. A client exists while it has a record of
// a lease, live or remembered.
//
// One block: u32 first lease, u16 name length, u16 id length, name, id.
import { digestBytes } from "./digest";
import { give, put32, take } from "./journal";
import { CLIENTS } from "./layout";
import { sameBytes } from "./text";
import { addEntry, firstMatch, nextMatch, removeEntry } from "./table";

const FIRST_LEASE: usize = 0;
const NAME_LENGTH: usize = 4;
const ID_LENGTH: usize = 6;
const NAME: usize = 8;

// @ts-ignore: decorator
@inline
export function clientNameLength(client: usize): u32 {
  return load<u16>(client, NAME_LENGTH);
}
// @ts-ignore: decorator
@inline
export function clientIdLength(client: usize): u32 {
  return load<u16>(client, ID_LENGTH);
}
// @ts-ignore: decorator
@inline
export function clientName(client: usize): usize {
  return client + NAME;
}
// @ts-ignore: decorator
@inline
export function clientId(client: usize): usize {
  return client + NAME + clientNameLength(client);
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
  let client = firstMatch(CLIENTS, hash);
  while (client != 0) {
    if (
      clientNameLength(client) == nameLength &&
      clientIdLength(client) == idLength &&
      sameBytes(clientName(client), name, nameLength) &&
      sameBytes(clientId(client), id, idLength)
    ) {
      return client;
    }
    client = nextMatch(hash);
  }
  return 0;
}

export function addClient(hash: u32, name: usize, nameLength: u32, id: usize, idLength: u32): usize {
  const client = take(<u32>NAME + nameLength + idLength);
  store<u32>(client, 0, FIRST_LEASE);
  store<u16>(client, <u16>nameLength, NAME_LENGTH);
  store<u16>(client, <u16>idLength, ID_LENGTH);
  memory.copy(client + NAME, name, nameLength);
  memory.copy(client + NAME + nameLength, id, idLength);
  addEntry(CLIENTS, hash, client);
  return client;
}

/** Forgets a client that has no record of a lease left. */
export function dropClientIfIdle(client: usize): void {
  if (load<u32>(client, FIRST_LEASE) != 0) return;
  const nameLength = clientNameLength(client);
  const idLength = clientIdLength(client);
  removeEntry(CLIENTS, identityHash(clientName(client), nameLength, clientId(client), idLength), client);
  give(client, <u32>NAME + nameLength + idLength);
}

export function setFirstLease(client: usize, lease: usize): void {
  put32(client + FIRST_LEASE, <u32>lease);
}
