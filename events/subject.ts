/** Which events are about something: what people search the log by. */
import type { Event } from "./event.js";

/**
 * Whether the event is about the subject: a pool, an endpoint, a client's name or id, a connection, an
 * address, or a lease's number.
 */
export function isAbout(event: Event, subject: string): boolean {
  const data = event.data as Record<string, unknown>;
  for (const key of ["pool", "endpoint", "connection", "dst", "src"]) if (data[key] === subject) return true;
  if (typeof data["lease"] === "number" && String(data["lease"]) === subject) return true;
  const client = data["client"] as { name: string; id: string } | undefined;
  if (client && (client.name === subject || client.id === subject)) return true;
  const from = data["from"] as { pool: string; dst: string; src: string } | undefined;
  return from !== undefined && (from.pool === subject || from.dst === subject || from.src === subject);
}
