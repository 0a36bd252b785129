/** A terminal that remembers: what a command would have shown, at a width and with or without a person watching. */
import { Terminal, type Sink } from "#host/cli/terminal.js";

class Memory implements Sink {
  text = "";
  constructor(
    readonly isTTY: boolean,
    readonly columns: number | undefined,
  ) {}
  write(text: string): boolean {
    this.text += text;
    return true;
  }
  once(): void {}
}

export interface Screen {
  readonly terminal: Terminal;
  out(): string;
  err(): string;
}

/** `columns` undefined: a pipe. */
export function screen(columns?: number, env: Record<string, string> = {}): Screen {
  const out = new Memory(columns !== undefined, columns);
  const err = new Memory(columns !== undefined, columns);
  return { terminal: new Terminal(out, err, env), out: () => out.text, err: () => err.text };
}
