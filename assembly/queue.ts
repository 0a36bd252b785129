// Leases in the order of their time: buckets of one second in a tree, a list in each bucket. Renewing
// is taking out and appending, whatever the number of leases.
//
// A bucket is a tree node whose first address is the second; its last address holds head and tail.
// The ends of a list point back to their bucket, with the lowest bit set.
import { give, put32, take } from "./journal";
import { ENDED_COUNT, ENDED_HEAD, ENDED_TAIL } from "./layout";
import { QUEUE_BACK, QUEUE_NEXT } from "./lease";
import { EXPIRY_QUEUES } from "./pool";
import { LAST_HI, aboveNode, dropNode, firstLo, floorNode, insertNode, lowestNode, newNode } from "./tree";

const HEAD: usize = LAST_HI;
const TAIL: usize = LAST_HI + 4;

// Live leases have a queue for each opening of the realm that they were last seen in: those that have not
// come back since the last one share a grace, and no tick walks over them again and again while it lasts.
// A queue is 16 bytes: u32 root of its buckets, u32 opening, u32 next; the newest first.
const OPENING: usize = 4;
const NEXT_QUEUE: usize = 8;
const QUEUE: u32 = 16;

/** The place of the root of a pool's queue for leases last seen in this opening; made if it is not there. */
export function expiryQueue(pool: usize, opening: u32): usize {
  let link = pool + EXPIRY_QUEUES;
  while (true) {
    const queue = <usize>load<u32>(link);
    if (queue != 0 && load<u32>(queue, OPENING) == opening) return queue;
    if (queue == 0 || load<u32>(queue, OPENING) < opening) {
      const made = take(QUEUE);
      store<u32>(made, 0);
      store<u32>(made, opening, OPENING);
      store<u32>(made, <u32>queue, NEXT_QUEUE);
      put32(link, <u32>made);
      return made;
    }
    // Empty queues of earlier openings are left behind by leases that came back.
    if (load<u32>(queue) == 0) {
      put32(link, load<u32>(queue, NEXT_QUEUE));
      give(queue, QUEUE);
    } else link = queue + NEXT_QUEUE;
  }
}

/** The pool's newest queue; 0 if it has none. */
export function firstQueue(pool: usize): usize {
  return load<u32>(pool, EXPIRY_QUEUES);
}
export function nextQueue(queue: usize): usize {
  return load<u32>(queue, NEXT_QUEUE);
}
export function queueOpening(queue: usize): u32 {
  return load<u32>(queue, OPENING);
}

/** Gives up the queues of a pool that has no live lease left. */
export function dropQueues(pool: usize): void {
  let queue = firstQueue(pool);
  while (queue != 0) {
    const next = nextQueue(queue);
    give(queue, QUEUE);
    queue = next;
  }
  put32(pool + EXPIRY_QUEUES, 0);
}

/** Appends a lease to the bucket of its time (ms). */
export function enqueue(root: usize, lease: usize, at: u64): void {
  const second = at / 1000;
  let bucket = floorNode(root, 0, second);
  if (bucket == 0 || firstLo(bucket) != second) {
    bucket = newNode(0, second, 0, 0);
    store<u32>(bucket, <u32>lease, HEAD);
    store<u32>(bucket, <u32>lease, TAIL);
    insertNode(root, bucket);
    put32(lease + QUEUE_BACK, <u32>bucket | 1);
    put32(lease + QUEUE_NEXT, <u32>bucket | 1);
    return;
  }
  const tail = load<u32>(bucket, TAIL);
  put32(<usize>tail + QUEUE_NEXT, <u32>lease);
  put32(lease + QUEUE_BACK, tail);
  put32(lease + QUEUE_NEXT, <u32>bucket | 1);
  put32(bucket + TAIL, <u32>lease);
}

export function dequeue(root: usize, lease: usize): void {
  const next = load<u32>(lease, QUEUE_NEXT);
  const back = load<u32>(lease, QUEUE_BACK);
  if ((back & 1) != 0) {
    const bucket = <usize>(back & ~1);
    if ((next & 1) != 0) {
      dropNode(root, bucket);
      return;
    }
    put32(bucket + HEAD, next);
    put32(<usize>next + QUEUE_BACK, back);
    return;
  }
  put32(<usize>back + QUEUE_NEXT, next);
  if ((next & 1) != 0) put32(<usize>(next & ~1) + TAIL, back);
  else put32(<usize>next + QUEUE_BACK, back);
}

/** The bucket with the earliest second; 0 if the queue is empty. */
export function firstBucket(root: usize): usize {
  return lowestNode(root);
}

/** The bucket behind this one; 0 at the end. */
export function nextBucket(root: usize, bucket: usize): usize {
  return aboveNode(root, 0, firstLo(bucket));
}

export function bucketSecond(bucket: usize): u64 {
  return firstLo(bucket);
}

/** First lease of the bucket. */
export function bucketHead(bucket: usize): usize {
  return load<u32>(bucket, HEAD);
}

/** The lease behind this one in its bucket; 0 at the end. */
export function nextInBucket(lease: usize): usize {
  const next = load<u32>(lease, QUEUE_NEXT);
  return (next & 1) != 0 ? 0 : <usize>next;
}

// --- ended leases: one list, the oldest first --------------------------------------------------------

export function appendEnded(lease: usize): void {
  const tail = load<u32>(ENDED_TAIL);
  put32(lease + QUEUE_BACK, tail);
  put32(lease + QUEUE_NEXT, 0);
  if (tail == 0) put32(ENDED_HEAD, <u32>lease);
  else put32(<usize>tail + QUEUE_NEXT, <u32>lease);
  put32(ENDED_TAIL, <u32>lease);
  put32(ENDED_COUNT, load<u32>(ENDED_COUNT) + 1);
}

export function removeEnded(lease: usize): void {
  const next = load<u32>(lease, QUEUE_NEXT);
  const back = load<u32>(lease, QUEUE_BACK);
  if (back == 0) put32(ENDED_HEAD, next);
  else put32(<usize>back + QUEUE_NEXT, next);
  if (next == 0) put32(ENDED_TAIL, back);
  else put32(<usize>next + QUEUE_BACK, back);
  put32(ENDED_COUNT, load<u32>(ENDED_COUNT) - 1);
}
