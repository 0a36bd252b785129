/**
 * The few numbers that the writer and the checkpointer share, in memory that both can wait on. Messages would
 * need an event loop in a thread that does nothing but block.
 */

/** Counts commits; the checkpointer sleeps until it moves. */
export const COMMITS = 0;
/** Set to 1 to end the checkpointer. */
export const STOP = 1;

export function newSharedState(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8));
}
