// Endpoints: a named chain of groups of pools. A retired endpoint keeps its record, because leases name
// it until they end; the record serves again when the name is defined anew.
import { give, put32, put64, take } from "./journal";
import { ENDPOINTS, ENDPOINT_COUNT, ENDPOINT_HEAD } from "./layout";
import { digestText, keepText, textIs } from "./text";
import { addEntry, firstMatch, nextMatch } from "./table";

export const POLICY_REPLACE: u32 = 0;
export const POLICY_APPEND: u32 = 1;

const NAME: usize = 0;
export const FOLLOWING_ENDPOINT: usize = 12;
const REVISION: usize = 16;
/** Policy and chain as commands and events spell them; 0 while the endpoint is retired. */
const SETTINGS: usize = 24;
const SETTINGS_LENGTH: usize = 28;
const POLICY: usize = 32;
/** u32 groups, then for each: u32 pools, and the pools' places. */
const CHAIN: usize = 36;
const CHAIN_BYTES: usize = 40;
const ENDPOINT: u32 = 48;

// @ts-ignore: decorator
@inline
export function endpointName(endpoint: usize): usize {
  return load<u32>(endpoint, NAME);
}
// @ts-ignore: decorator
@inline
export function endpointRevision(endpoint: usize): u64 {
  return load<u64>(endpoint, REVISION);
}
// @ts-ignore: decorator
@inline
export function endpointSettings(endpoint: usize): usize {
  return load<u32>(endpoint, SETTINGS);
}
// @ts-ignore: decorator
@inline
export function endpointSettingsLength(endpoint: usize): u32 {
  return load<u32>(endpoint, SETTINGS_LENGTH);
}
// @ts-ignore: decorator
@inline
export function endpointPolicy(endpoint: usize): u32 {
  return load<u32>(endpoint, POLICY);
}
// @ts-ignore: decorator
@inline
export function chainOf(endpoint: usize): usize {
  return load<u32>(endpoint, CHAIN);
}
// @ts-ignore: decorator
@inline
export function isDefined(endpoint: usize): bool {
  return load<u32>(endpoint, SETTINGS) != 0;
}

let lastFound: usize = 0;

/** The record of this name, retired or not; 0 if the name was never used. */
export function findEndpointRecord(at: usize, length: u32): usize {
  if (lastFound != 0 && textIs(endpointName(lastFound), at, length)) return lastFound;
  const hash = <u32>digestText(at, length);
  let endpoint = firstMatch(ENDPOINTS, hash);
  while (endpoint != 0 && !textIs(endpointName(endpoint), at, length)) endpoint = nextMatch(hash);
  lastFound = endpoint;
  return endpoint;
}

export function forgetFoundEndpoint(): void {
  lastFound = 0;
}

/** The endpoint of this name; 0 if there is none now. */
export function findEndpoint(at: usize, length: u32): usize {
  const endpoint = findEndpointRecord(at, length);
  return endpoint != 0 && isDefined(endpoint) ? endpoint : 0;
}

export function newEndpoint(at: usize, length: u32): usize {
  const endpoint = take(ENDPOINT);
  memory.fill(endpoint, 0, ENDPOINT);
  const hash = <u32>digestText(at, length);
  store<u32>(endpoint, <u32>keepText(at, length), NAME);
  put32(endpoint + FOLLOWING_ENDPOINT, load<u32>(ENDPOINT_HEAD));
  put32(ENDPOINT_HEAD, <u32>endpoint);
  put32(ENDPOINT_COUNT, load<u32>(ENDPOINT_COUNT) + 1);
  addEntry(ENDPOINTS, hash, endpoint);
  return endpoint;
}

export function setChain(endpoint: usize, position: u64, settings: usize, settingsLength: u32, policy: u32, chain: usize, chainBytes: u32): void {
  clearChain(endpoint);
  put64(endpoint + REVISION, position);
  put32(endpoint + SETTINGS, <u32>settings);
  put32(endpoint + SETTINGS_LENGTH, settingsLength);
  put32(endpoint + POLICY, policy);
  put32(endpoint + CHAIN, <u32>chain);
  put32(endpoint + CHAIN_BYTES, chainBytes);
}

/** Retires: the name stays for the leases that carry it. */
export function clearChain(endpoint: usize): void {
  if (load<u32>(endpoint, SETTINGS) != 0) give(load<u32>(endpoint, SETTINGS), load<u32>(endpoint, SETTINGS_LENGTH));
  if (load<u32>(endpoint, CHAIN) != 0) give(load<u32>(endpoint, CHAIN), load<u32>(endpoint, CHAIN_BYTES));
  put32(endpoint + SETTINGS, 0);
  put32(endpoint + SETTINGS_LENGTH, 0);
  put32(endpoint + CHAIN, 0);
  put32(endpoint + CHAIN_BYTES, 0);
}

/** Whether some group of the endpoint's chain names the pool. */
export function chainNames(endpoint: usize, pool: usize): bool {
  let at = chainOf(endpoint);
  if (at == 0) return false;
  const groups = load<u32>(at);
  at += 4;
  for (let g: u32 = 0; g < groups; g++) {
    const pools = load<u32>(at);
    at += 4;
    for (let i: u32 = 0; i < pools; i++) {
      if (<usize>load<u32>(at) == pool) return true;
      at += 4;
    }
  }
  return false;
}
