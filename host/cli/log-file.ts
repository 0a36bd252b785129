/**
 * The form of an exported log: one event per line, as JSON, and a last line that says what was exported. The
 * last line is how a file that was cut off, or changed by hand, is told from a whole one.
 */

/** Raised when a reader of the old form could misread the new one. */
export const exportFormat = 1;

export interface ExportHead {
  readonly format: number;
  readonly realm: string;
  /** The exported log's own id; an import gets a new one. */
  readonly logId: string;
  /** Position and digest of the exported log's head. An import has the same positions and digests of its own. */
  readonly position: number;
  readonly digest: string;
  /** Hash of the state behind the last event. */
  readonly stateHash: string;
  /** Version of the core that computed it. */
  readonly coreVersion: number;
  /** SHA-256 of all lines before this one, line ends included. */
  readonly linesSha256: string;
}

/** Text of the last line, without its line end. */
export function headLine(head: ExportHead): string {
  return JSON.stringify({ head });
}

/** The head, if `value` is the parsed last line of an export. */
export function asHead(value: unknown): ExportHead | undefined {
  if (typeof value !== "object" || value === null || !("head" in value)) return undefined;
  const { head } = value;
  if (typeof head !== "object" || head === null) return undefined;
  const fields = head as Record<string, unknown>;
  const texts = ["realm", "logId", "digest", "stateHash", "linesSha256"].every((name) => typeof fields[name] === "string");
  const numbers = ["format", "position", "coreVersion"].every((name) => Number.isSafeInteger(fields[name]));
  return texts && numbers ? (fields as unknown as ExportHead) : undefined;
}
