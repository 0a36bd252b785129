/**
 * Where output goes: data to stdout, messages to stderr. Knows whether a person watches, how wide the window
 * is and whether colour is wanted; commands ask here and nowhere else.
 */
import { wrap } from "./wrap.js";

export type Style = "bold" | "dim" | "red" | "green" | "yellow";

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

export interface Sink {
  write(text: string): boolean;
  once(event: "drain", listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Width where the terminal does not tell. */
const columnsDefault = 80;

export class Terminal {
  constructor(
    readonly out: Sink,
    readonly err: Sink,
    readonly env: Readonly<Record<string, string | undefined>>,
  ) {}

  /** Columns to lay tables out for; undefined where stdout is a file or a pipe, which has no width. */
  get columns(): number | undefined {
    if (this.out.isTTY !== true) return undefined;
    return this.out.columns === undefined || this.out.columns === 0 ? columnsDefault : this.out.columns;
  }

  /** A person sees stderr: progress may be drawn there. */
  get watched(): boolean {
    return this.err.isTTY === true && this.env["TERM"] !== "dumb";
  }

  /** `text` in a style, where stdout shows colours. */
  style(style: Style, text: string): string {
    return this.#styled(this.out, style, text);
  }

  /** `text` in a style, where stderr shows colours. */
  messageStyle(style: Style, text: string): string {
    return this.#styled(this.err, style, text);
  }

  /** Data: what somebody may pipe on. */
  data(text: string): void {
    this.out.write(`${text}\n`);
  }

  /** As `data`, resolving when there is room for more: a slow reader must not make us hold the whole log. */
  async flow(text: string): Promise<void> {
    if (this.out.write(text)) return;
    await new Promise<void>((resolve) => {
      this.out.once("drain", resolve);
    });
  }

  json(value: unknown): void {
    this.data(JSON.stringify(value, null, 2));
  }

  /** Words for the person at the keyboard, broken between words where the window ends. */
  message(text: string): void {
    const width = this.err.isTTY === true ? (this.err.columns ?? columnsDefault) : 0;
    const lines = width === 0 ? [text] : text.split("\n").flatMap((line) => wrapped(line, width));
    this.err.write(`${lines.join("\n")}\n`);
  }

  #styled(sink: Sink, style: Style, text: string): string {
    // https://no-color.org: set and not empty means no.
    const noColour = this.env["NO_COLOR"];
    if (sink.isTTY !== true || this.env["TERM"] === "dumb" || (noColour !== undefined && noColour !== "")) return text;
    const [on, off] = codes[style];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  }
}

/** Continued lines stand under the first one. */
function wrapped(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return wrap(line.slice(indent.length), Math.max(20, width - indent.length), "keep").map((part) => indent + part);
}

/**
 * `text` safe to show: control characters become visible escapes. Client names come from the network, and a
 * name with an escape sequence in it must not drive an operator's terminal.
 */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
