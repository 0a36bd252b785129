/** Times as tables show them: UTC, to the second or millisecond, sortable. */

/** `2026-11-30 14:02:00` of an RFC 3339 time. */
export function toSecond(rfc3339: string): string {
  return new Date(rfc3339).toISOString().slice(0, 19).replace("T", " ");
}

/** `2026-11-30 14:02:00.123` of an RFC 3339 time. */
export function toMillisecond(rfc3339: string): string {
  return new Date(rfc3339).toISOString().slice(0, 23).replace("T", " ");
}
