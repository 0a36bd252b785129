/**
 * Which snapshots stay. The newest two, because the newest may be the one that is bad; and older ones spread over
 * the log, so that no earlier moment is far from one: looking at it costs the events in between.
 */

/** Always kept. */
export const NEWEST_KEPT = 2;
/** Older ones kept beside them, at most; and together never more bytes than the log itself has. */
export const OLDER_KEPT = 30;

export interface KeptSnapshot {
  readonly position: number;
  readonly bytes: number;
}

/**
 * The snapshots that stay, of those that are good, in any order; newest first. While there are too many, the older
 * one goes without which the way to its successor's moments grows least.
 */
export function snapshotsToKeep<S extends KeptSnapshot>(good: readonly S[], logBytes: number): S[] {
  const sorted = [...good].sort((a, b) => b.position - a.position);
  const newest = sorted.slice(0, NEWEST_KEPT);
  const older = sorted.slice(NEWEST_KEPT);
  let bytes = older.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
  while (older.length > OLDER_KEPT || (older.length > 0 && bytes > logBytes)) {
    const positionAt = (index: number): number => (index < 0 ? newest[newest.length - 1]!.position : (older[index]?.position ?? 0));
    let least = older.length - 1;
    for (let index = least - 1; index >= 0; index--) {
      if (positionAt(index - 1) - positionAt(index + 1) < positionAt(least - 1) - positionAt(least + 1)) least = index;
    }
    bytes -= older[least]!.bytes;
    older.splice(least, 1);
  }
  return [...newest, ...older];
}
