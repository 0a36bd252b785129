/**
 * `?at=`: the state at an earlier position or time. Each such read borrows a core instance of its own, so
 * only a few run at once and some more wait; beyond that a caller is told to come back.
 */
import type { Moment, RealmApi, RealmReader } from "../events/realm-api.js";
import { Problem, invalid, shown } from "./problem.js";

const readsMax = 4;
const waitingMax = 64;

const timeForm = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Parses `at`: a position, or an RFC 3339 time. Refuses what lies ahead: nobody knows that state. */
export function parseMoment(text: string, head: number, now: number): Moment {
  if (/^\d+$/.test(text)) {
    const position = Number(text);
    if (!Number.isSafeInteger(position) || position > head) {
      throw invalid("at", "at-position", `Position ${text.slice(0, 32)} is above the head of the log, which is ${head}.`, { head });
    }
    return { position };
  }
  const time = timeForm.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw invalid(
      "at",
      "at-form",
      `at takes a position like 812 or a time like 2026-11-30T14:02:00Z, not ${shown(text)}. (A + in a query is written %2B.)`,
    );
  if (time > now)
    throw invalid("at", "at-time", `${text} lies in the future; it is ${new Date(now).toISOString()} here.`, {
      now: new Date(now).toISOString(),
    });
  return { time };
}

export class MomentReads {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Runs `read` on the state of now, or at the moment `at` names. */
  async read<T>(realm: RealmApi, at: string | undefined, now: number, read: (reader: RealmReader) => T): Promise<T> {
    if (at === undefined) return realm.read(read);
    const moment = parseMoment(at, realm.head().position, now);
    await this.#enter();
    try {
      const { reader, release } = await realm.at(moment);
      try {
        return read(reader);
      } finally {
        release();
      }
    } finally {
      this.#leave();
    }
  }

  #enter(): Promise<void> {
    if (this.#running < readsMax) {
      this.#running++;
      return Promise.resolve();
    }
    if (this.#waiting.length >= waitingMax)
      throw new Problem("overloaded", `${readsMax} reads of earlier moments run and ${waitingMax} wait; try again.`, {
        field: "at",
        rule: "moment-reads",
        limit: waitingMax,
      });
    // The place is handed over by the one who leaves, so the count stays.
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
