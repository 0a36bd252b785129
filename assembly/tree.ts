// Ordered sets of disjoint address ranges: treaps in linear memory, walked without recursion because
// stack depth differs between hosts.
//
// A node is 48 bytes: u32 left, u32 right, u32 priority, u32 spare, then first and last address
// (hi, lo each), both inclusive. Prefix records start with the same layout and live in such a tree too.
// A tree is named by the place that holds its root.
import { less, next, resultHi, resultLo, same } from "./address";
import { mix } from "./digest";
import { give, put32, put64, take } from "./journal";
import { BALANCE } from "./layout";
import { FAULT_ADDRESS_TAKEN, stop } from "./fault";

export const LEFT: usize = 0;
export const RIGHT: usize = 4;
export const PRIORITY: usize = 8;
export const FIRST_HI: usize = 16;
export const FIRST_LO: usize = 24;
export const LAST_HI: usize = 32;
export const LAST_LO: usize = 40;
const NODE: u32 = 48;

// @ts-ignore: decorator
@inline
export function firstHi(node: usize): u64 {
  return load<u64>(node, FIRST_HI);
}
// @ts-ignore: decorator
@inline
export function firstLo(node: usize): u64 {
  return load<u64>(node, FIRST_LO);
}
// @ts-ignore: decorator
@inline
export function lastHi(node: usize): u64 {
  return load<u64>(node, LAST_HI);
}
// @ts-ignore: decorator
@inline
export function lastLo(node: usize): u64 {
  return load<u64>(node, LAST_LO);
}

/** A priority for a new node: any well-spread number keeps the tree shallow. */
export function nextPriority(): u32 {
  const n = load<u64>(BALANCE) + 1;
  // Plain store: the counter carries no meaning, so an undo need not bring it back.
  store<u64>(BALANCE, n);
  return <u32>mix(n);
}

/** A node that hangs nowhere yet. */
export function newNode(aHi: u64, aLo: u64, bHi: u64, bLo: u64): usize {
  const node = take(NODE);
  store<u32>(node, nextPriority(), PRIORITY);
  store<u64>(node, aHi, FIRST_HI);
  store<u64>(node, aLo, FIRST_LO);
  store<u64>(node, bHi, LAST_HI);
  store<u64>(node, bLo, LAST_LO);
  return node;
}

/** Hangs a node into the tree; its range meets no other. */
export function insertNode(root: usize, node: usize): void {
  const hi = firstHi(node);
  const lo = firstLo(node);
  const priority = load<u32>(node, PRIORITY);
  let link = root;
  let at = <usize>load<u32>(link);
  while (at != 0 && load<u32>(at, PRIORITY) >= priority) {
    link = less(hi, lo, firstHi(at), firstLo(at)) ? at + LEFT : at + RIGHT;
    at = load<u32>(link);
  }
  put32(link, <u32>node);
  // What hung there is divided into what comes before and what comes behind the node.
  let before = node + LEFT;
  let behind = node + RIGHT;
  while (at != 0) {
    if (less(firstHi(at), firstLo(at), hi, lo)) {
      put32(before, <u32>at);
      before = at + RIGHT;
      at = load<u32>(before);
    } else {
      put32(behind, <u32>at);
      behind = at + LEFT;
      at = load<u32>(behind);
    }
  }
  put32(before, 0);
  put32(behind, 0);
}

/** Takes a node out of the tree. It keeps its memory. */
export function unhookNode(root: usize, node: usize): void {
  const hi = firstHi(node);
  const lo = firstLo(node);
  let link = root;
  while (<usize>load<u32>(link) != node) {
    const at = <usize>load<u32>(link);
    link = less(hi, lo, firstHi(at), firstLo(at)) ? at + LEFT : at + RIGHT;
  }
  let left = <usize>load<u32>(node, LEFT);
  let right = <usize>load<u32>(node, RIGHT);
  while (left != 0 && right != 0) {
    if (load<u32>(left, PRIORITY) >= load<u32>(right, PRIORITY)) {
      put32(link, <u32>left);
      link = left + RIGHT;
      left = load<u32>(link);
    } else {
      put32(link, <u32>right);
      link = right + LEFT;
      right = load<u32>(link);
    }
  }
  put32(link, <u32>(left | right));
}

/** Takes a node out and gives its memory back. */
export function dropNode(root: usize, node: usize): void {
  unhookNode(root, node);
  give(node, NODE);
}

/** The range with the largest first address at or below the given one; 0 if none. */
export function floorNode(root: usize, hi: u64, lo: u64): usize {
  let at = <usize>load<u32>(root);
  let found: usize = 0;
  while (at != 0) {
    if (less(hi, lo, firstHi(at), firstLo(at))) at = load<u32>(at, LEFT);
    else {
      found = at;
      at = load<u32>(at, RIGHT);
    }
  }
  return found;
}

/** The range with the smallest first address above the given one; 0 if none. */
export function aboveNode(root: usize, hi: u64, lo: u64): usize {
  let at = <usize>load<u32>(root);
  let found: usize = 0;
  while (at != 0) {
    if (less(hi, lo, firstHi(at), firstLo(at))) {
      found = at;
      at = load<u32>(at, LEFT);
    } else at = load<u32>(at, RIGHT);
  }
  return found;
}

/** The first range; 0 if the tree is empty. */
export function lowestNode(root: usize): usize {
  let at = <usize>load<u32>(root);
  if (at == 0) return 0;
  while (load<u32>(at, LEFT) != 0) at = load<u32>(at, LEFT);
  return at;
}

/** The range that holds the address; 0 if none. */
export function nodeWith(root: usize, hi: u64, lo: u64): usize {
  const at = floorNode(root, hi, lo);
  if (at == 0 || less(lastHi(at), lastLo(at), hi, lo)) return 0;
  return at;
}

/** Takes a run of addresses out of the set. Stops the program when it is not wholly there: somebody else has it. */
export function takeSpan(root: usize, aHi: u64, aLo: u64, bHi: u64, bLo: u64): void {
  const node = nodeWith(root, aHi, aLo);
  if (node == 0 || less(lastHi(node), lastLo(node), bHi, bLo)) stop(FAULT_ADDRESS_TAKEN);
  const fromFirst = same(firstHi(node), firstLo(node), aHi, aLo);
  const toLast = same(lastHi(node), lastLo(node), bHi, bLo);
  if (fromFirst && toLast) {
    dropNode(root, node);
    return;
  }
  if (fromFirst) {
    next(bHi, bLo);
    if (firstHi(node) != resultHi) put64(node + FIRST_HI, resultHi);
    put64(node + FIRST_LO, resultLo);
    return;
  }
  const oldHi = lastHi(node);
  const oldLo = lastLo(node);
  const endHi = aLo == 0 ? aHi - 1 : aHi;
  if (oldHi != endHi) put64(node + LAST_HI, endHi);
  put64(node + LAST_LO, aLo - 1);
  if (toLast) return;
  next(bHi, bLo);
  insertNode(root, newNode(resultHi, resultLo, oldHi, oldLo));
}

/** Puts a whole range into the set, swallowing what it meets or touches. */
export function putRange(root: usize, aHi: u64, aLo: u64, bHi: u64, bLo: u64): void {
  let startHi = aHi;
  let startLo = aLo;
  let endHi = bHi;
  let endLo = bLo;
  const before = floorNode(root, aHi, aLo);
  if (before != 0) {
    const touches = next(lastHi(before), lastLo(before)) ? !less(resultHi, resultLo, aHi, aLo) : true;
    if (touches) {
      startHi = firstHi(before);
      startLo = firstLo(before);
      if (less(endHi, endLo, lastHi(before), lastLo(before))) {
        endHi = lastHi(before);
        endLo = lastLo(before);
      }
      dropNode(root, before);
    }
  }
  while (true) {
    const behind = aboveNode(root, startHi, startLo);
    if (behind == 0) break;
    const atEnd = !next(endHi, endLo);
    if (!atEnd && less(resultHi, resultLo, firstHi(behind), firstLo(behind))) break;
    if (less(endHi, endLo, lastHi(behind), lastLo(behind))) {
      endHi = lastHi(behind);
      endLo = lastLo(behind);
    }
    dropNode(root, behind);
  }
  insertNode(root, newNode(startHi, startLo, endHi, endLo));
}

/** Gives up every node of the tree and empties it. */
export function clearTree(root: usize): void {
  while (true) {
    const node = lowestNode(root);
    if (node == 0) return;
    dropNode(root, node);
  }
}
