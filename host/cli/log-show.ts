/** `holdfast log show`: events as a table, or one JSON object per line. */
import type { Event, EventType } from "../../events/event.js";
import { isAbout } from "../../events/subject.js";
import { eventText } from "./event-line.js";
import { eventsOf, withLog } from "./log-open.js";
import { Progress } from "./progress.js";
import { table } from "./table.js";
import { toMillisecond } from "./time-text.js";
import type { Terminal } from "./terminal.js";

export interface ShowFlags {
  readonly after: number;
  readonly limit: number;
  /** The newest ones instead of the first ones. */
  readonly last?: boolean;
  readonly type?: readonly EventType[];
  readonly subject?: string;
  readonly json?: boolean;
}

export async function showLog(terminal: Terminal, flags: ShowFlags & Readonly<Record<string, unknown>>): Promise<void> {
  const found: Event[] = [];
  let more = false;
  let head = 0;
  await withLog(flags, terminal, async (log) => {
    head = log.head().position;
    const everything = flags.type === undefined && flags.subject === undefined;
    // Without a filter the newest are simply the last positions; with one, every event must be looked at.
    const after = flags.last === true && everything ? Math.max(flags.after, head - flags.limit) : flags.after;
    const progress = new Progress(terminal, "reading", head, "events");
    try {
      for await (const events of eventsOf(log, after, head)) {
        for (const event of events) {
          if (flags.type !== undefined && !flags.type.includes(event.type)) continue;
          if (flags.subject !== undefined && !isAbout(event, flags.subject)) continue;
          if (flags.last === true) {
            found.push(event);
            if (found.length > flags.limit) found.shift();
          } else if (found.length < flags.limit) {
            found.push(event);
          } else {
            more = true;
            return;
          }
        }
        progress.reached(events.at(-1)?.position ?? 0);
      }
    } finally {
      progress.done();
    }
  });
  if (flags.json === true) {
    for (const event of found) await terminal.flow(`${JSON.stringify(event)}\n`);
  } else if (found.length > 0) {
    terminal.data(
      table(
        terminal,
        [{ title: "POSITION", align: "right" }, { title: "TIME (UTC)" }, { title: "EVENT" }, { title: "WHAT", wrap: true }],
        found.map((event) => [String(event.position), toMillisecond(event.time), event.type, eventText(event)]),
      ),
    );
  }
  if (found.length === 0) terminal.message(`No event matches; the log ends at position ${head}.`);
  if (more) terminal.message(`There are more: go on with --after ${found.at(-1)?.position ?? 0}, or raise --limit.`);
}
