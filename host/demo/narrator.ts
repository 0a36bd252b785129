/**
 * What a person sees of the demo: short sentences, tables, a pause where there is something to read. Silent
 * with `--json`.
 */
import CliTable from "cli-table3";
import type { Terminal } from "../cli/terminal.js";
import type { Holding, Mark, Row } from "./verdict.js";

/** Long enough to read a line, short enough for the whole demo to stay under twenty seconds. */
const pauseMs = 700;

const marks: Readonly<Record<Mark, "green" | "yellow" | "red">> = { kept: "green", new: "yellow", MOVED: "red", LOST: "red" };

export class Narrator {
  #step = 0;

  constructor(
    readonly terminal: Terminal,
    readonly silent: boolean,
    readonly signal: AbortSignal,
  ) {}

  title(text: string): void {
    this.#line(this.terminal.style("bold", text));
  }

  /** A numbered step, with an empty line before it. */
  async step(text: string): Promise<void> {
    await this.#pause();
    this.#step++;
    this.#line("");
    this.#line(this.terminal.style("bold", `${this.#step}. ${text}`));
  }

  say(text: string): void {
    this.#line(`   ${text}`);
  }

  /** Who has what. */
  holdings(holdings: readonly Holding[]): void {
    this.#table(
      ["client", "its address", "the endpoint's"],
      holdings.map((holding) => [holding.client, holding.src.join(" "), holding.dst.join(" ")]),
    );
  }

  /** Who had what, and has now, with a mark for each. */
  comparison(rows: readonly Row[]): void {
    this.#table(
      ["client", "had (own, endpoint's)", "has (own, endpoint's)", ""],
      rows.map((row) => [row.client, pairText(row.before), pairText(row.after), this.terminal.style(marks[row.mark], row.mark)]),
    );
  }

  verdict(ok: boolean, text: string): void {
    this.#line("");
    this.#line(this.terminal.style(ok ? "green" : "red", text));
  }

  #table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    const table = new CliTable({
      head: head.map((title) => this.terminal.style("bold", title)),
      style: { head: [], border: [], compact: true },
    });
    for (const row of rows) table.push([...row]);
    this.#line(table.toString().replace(/^/gm, "   "));
  }

  #line(text: string): void {
    if (!this.silent) this.terminal.data(text);
  }

  /** Only where somebody reads along. Ends early, and throws, when the demo is interrupted. */
  async #pause(): Promise<void> {
    this.signal.throwIfAborted();
    if (this.silent || this.terminal.columns === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, pauseMs);
      const { signal } = this;
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done, { once: true });
    });
    this.signal.throwIfAborted();
  }
}

function pairText(holding: Holding | undefined): string {
  return holding === undefined ? "-" : `${holding.src.join(" ")}, ${holding.dst.join(" ")}`;
}
