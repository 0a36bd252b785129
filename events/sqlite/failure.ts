/**
 * What an error of SQLite or the file system means for a log. The one question that matters is whether the
 * write may be there after all.
 */
import { StoreError } from "../store.js";

/** An error as it crosses from a thread: StoreError does not survive structured cloning. */
export interface Failure {
  readonly code: StoreError["code"];
  readonly message: string;
  readonly facts: StoreError["facts"];
}

/** SQLite's or the system's code of an error (`SQLITE_IOERR_FSYNC`, `ENOSPC`), or an empty string. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Whether the file's own structure is broken, as against a failing device. The driver's RangeError says that a
 * column holds a number that no log has ever held.
 */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(errorCode(error)) || error instanceof RangeError;
}

/** Whether the statement never began because another connection was in the way. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(errorCode(error));
}

/** Whether room ran out. An `fsync` that reports ENOSPC is not this: SQLite calls it an I/O error, and it stays one. */
export function isFull(error: unknown): boolean {
  return errorCode(error) === "SQLITE_FULL";
}

/** Puts any error into the form that crosses threads, as `otherwise` unless it already is a StoreError. */
export function toFailure(error: unknown, otherwise: StoreError["code"], doing: string, path: string): Failure {
  if (error instanceof StoreError) return { code: error.code, message: error.message, facts: error.facts };
  const code = errorCode(error);
  return { code: otherwise, message: `${doing}: ${errorText(error)}${code === "" ? "" : ` (${code})`}`, facts: { path } };
}

export function fromFailure(failure: Failure): StoreError {
  return new StoreError(failure.code, failure.message, failure.facts);
}
