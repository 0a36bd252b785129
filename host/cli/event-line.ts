/** One event as a row for people: what it is about and what became of it, without the field names. */
import type { Event, EventData, LeaseFacts } from "../../events/event.js";

/** `NSC-1` or, where a client has no name, its id. Two clients of one name differ by id: both are shown then. */
export function clientText(client: { readonly name: string; readonly id: string }): string {
  if (client.name === "" || client.name === client.id) return client.id;
  // NSM makes ids of the form "<name>-<index>"; the name would say everything twice.
  return client.id.startsWith(`${client.name}-`) ? client.id : `${client.name} (${client.id})`;
}

/** Addresses of a lease, NSE side first. A `single` lease shows both too: the shared one says which endpoint it is. */
function addresses(lease: { readonly dst: string; readonly src: string }): string {
  return `${lease.dst} ${lease.src}`;
}

function holder(lease: LeaseFacts): string {
  return `${clientText(lease.client)}: ${addresses(lease)}`;
}

function chainText(chain: readonly (readonly string[])[]): string {
  return chain.map((group) => `[${group.join(", ")}]`).join(" ");
}

function settingsChanged(data: EventData["pool-changed"]): string {
  const names = Object.keys(data.after) as (keyof typeof data.after)[];
  const changed = names.filter((name) => JSON.stringify(data.before[name]) !== JSON.stringify(data.after[name]));
  return changed.map((name) => `${name} ${valueText(data.before[name])} -> ${valueText(data.after[name])}`).join(", ");
}

function valueText(value: string | number | boolean | readonly string[]): string {
  if (typeof value !== "object") return String(value);
  return value.length === 0 ? "none" : value.join(" ");
}

/** A span as people say it: 340 ms, 12 s, 5 min, 3 h, 2 d. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

export function eventText(event: Event): string {
  switch (event.type) {
    case "realm-opened":
      return event.data.awayMs === 0 ? "opened" : `opened after ${span(event.data.awayMs)} away`;
    case "pool-defined":
    case "pool-retired":
      return `${event.data.pool}: ${event.data.mode} ${event.data.prefixes.join(" ")}`;
    case "pool-changed":
      return `${event.data.pool}: ${settingsChanged(event.data)}`;
    case "endpoint-defined":
      return `${event.data.endpoint}: ${chainText(event.data.chain)} ${event.data.contextPolicy}`;
    case "endpoint-changed":
      return `${event.data.endpoint}: ${chainText(event.data.before.chain)} -> ${chainText(event.data.after.chain)} ${event.data.after.contextPolicy}`;
    case "endpoint-retired":
      return event.data.endpoint;
    case "lease-granted":
      return `${holder(event.data)} (${event.data.cause})`;
    case "lease-moved":
      return `${clientText(event.data.client)}: ${addresses(event.data.from)} -> ${addresses(event.data)} (${event.data.reason})`;
    case "lease-released":
      return `${holder(event.data)} (${event.data.reason})`;
    case "lease-renewed":
    case "lease-restored":
    case "lease-expired":
    case "lease-cooled":
      return holder(event.data);
  }
}
