/** Names of pools and endpoints: they stand in paths, logs and metrics, so only plain characters. */
import { invalid, shown } from "./problem.js";

export const nameBytesMax = 64;
/** Not `.` and `..`: every client and proxy on the way takes them out of a path. */
const nameForm = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

/** `text` if it is a name; `what` and `field` say where it stands. */
export function readName(what: "pool" | "endpoint", text: string, field: string): string {
  if (!nameForm.test(text))
    throw invalid(field, "name", `${shown(text)} is no ${what} name: 1 to ${nameBytesMax} letters, digits, dots, underscores or hyphens, but not "." or "..".`);
  return text;
}
