/**
 * Rows of text as a table. On a terminal it fits the window: long ids lose their middle, and what still does
 * not fit is shown as one block per row. In a pipe nothing is ever cut.
 */
import CliTable from "cli-table3";
import { printable, type Terminal } from "./terminal.js";
import { wrap } from "./wrap.js";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** May lose its middle down to this many characters on a terminal; absent = never. */
  readonly cut?: number;
  /** May break over lines on a terminal. For the last column. */
  readonly wrap?: boolean;
}

/** Spaces between columns. */
const gap = 2;
/** Narrowest useful width of a column that breaks over lines. */
const wrapMin = 20;

const bare = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
} as const;

/** `text` with its middle replaced by an ellipsis; both ends of an id tell more than its middle. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length < 3) return text.slice(0, length);
  const tail = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** Lines of a table with a header. `rows` hold one text per column; control characters are made visible. */
export function table(terminal: Terminal, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const natural = columns.map((column, index) => Math.max(column.title.length, ...cells.map((row) => (row[index] ?? "").length)));
  const widths = terminal.columns === undefined ? natural : fit(columns, natural, terminal.columns);
  if (widths === undefined) return blocks(terminal, columns, cells);
  const drawn = new CliTable({
    chars: bare,
    style: { head: [], border: [], "padding-left": 0, "padding-right": gap },
    head: columns.map((column) => terminal.style("bold", column.title)),
    colAligns: columns.map((column) => column.align ?? "left"),
    // Without widths the drawer takes those of the texts, wide scripts included, and cuts nothing.
    ...(terminal.columns === undefined ? {} : { colWidths: widths.map((width) => width + gap) }),
  });
  for (const row of cells) {
    drawn.push(
      columns.map((column, index) => {
        const width = widths[index] ?? 0;
        return column.wrap === true ? wrap(row[index] ?? "", width, "break").join("\n") : cutMiddle(row[index] ?? "", width);
      }),
    );
  }
  return drawn.toString().replace(/[ ]+$/gm, "");
}

/** Names and values under each other, for one thing. */
export function fields(terminal: Terminal, pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs
    .map(([name, value]) => `${terminal.style("bold", name.padEnd(width))}${" ".repeat(gap)}${printable(value)}`.trimEnd())
    .join("\n");
}

function fit(columns: readonly Column[], natural: readonly number[], columnsOfTerminal: number): readonly number[] | undefined {
  const widths = [...natural];
  const least = columns.map((column, index) => {
    const full = natural[index] ?? 0;
    if (column.wrap === true) return Math.min(full, Math.max(wrapMin, column.title.length));
    return column.cut === undefined ? full : Math.min(full, Math.max(column.cut, column.title.length));
  });
  let excess = widths.reduce((sum, width) => sum + width, gap * (columns.length - 1)) - columnsOfTerminal;
  while (excess > 0) {
    // The widest gives first, so that two long columns end up alike.
    let widest = -1;
    widths.forEach((width, index) => {
      if (width > (least[index] ?? 0) && (widest < 0 || width > (widths[widest] ?? 0))) widest = index;
    });
    if (widest < 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess--;
  }
  return widths;
}

function blocks(terminal: Terminal, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  return rows
    .map((row) =>
      fields(
        terminal,
        columns.map((column, index) => [column.title, row[index] ?? ""] as const),
      ),
    )
    .join("\n\n");
}
