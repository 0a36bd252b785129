/**
 * `ETag`, `If-Match` and `If-None-Match`: a pool's or endpoint's entity tag is its revision, the position of
 * the event that last changed it.
 */
import type { Context } from "hono";
import { Problem, invalid } from "./problem.js";

export function etag(revision: number): string {
  return `"${revision}"`;
}

/**
 * The revision a write must find: 0 = must not exist, a number = exactly that one, undefined = any. `now` is
 * the present revision, undefined where there is none. The core decides; only what cannot be put to it as
 * one revision is refused here.
 */
export async function expectedRevision(
  context: Context,
  name: string,
  now: () => Promise<number | undefined>,
): Promise<number | undefined> {
  const match = context.req.header("if-match");
  const noneMatch = context.req.header("if-none-match");
  if (noneMatch !== undefined) {
    if (match !== undefined) throw invalid("If-None-Match", "one-condition", "Send If-Match or If-None-Match, not both.");
    if (noneMatch.trim() !== "*")
      throw invalid("If-None-Match", "condition-form", "On a write If-None-Match takes only *, which means: it must not exist yet.");
    return 0;
  }
  if (match === undefined) return undefined;
  const present = await now();
  if (match.trim() === "*") {
    if (present === undefined) throw preconditionFailed(name, 0);
    return present;
  }
  const revisions = match.split(",").map((tag) => {
    const revision = /^\s*"(\d{1,16})"\s*$/.exec(tag)?.[1];
    if (revision === undefined)
      throw invalid(
        "If-Match",
        "condition-form",
        `If-Match takes the ETag of a GET, like "812" with its quotes, or *; not ${JSON.stringify(tag.trim().slice(0, 80))}.`,
      );
    return Number(revision);
  });
  const [first] = revisions;
  if (present !== undefined && revisions.includes(present)) return present;
  // A tag of 0 was never given out; passed on it would mean "must not exist".
  if (first === undefined || first === 0 || present === undefined) throw preconditionFailed(name, present ?? 0);
  return first;
}

/** 412 with the revision that is there now; 0 = it does not exist. */
export function preconditionFailed(name: string, revision: number): Problem {
  const detail =
    revision === 0
      ? `${JSON.stringify(name)} does not exist, and the request says which revision it must have. Read it again, or create it with If-None-Match: *.`
      : `${JSON.stringify(name)} has revision ${revision}, which is not the one the request asks for. Read it again and decide on what it is now.`;
  return new Problem(
    "precondition-failed",
    detail,
    { subject: name, revision, rule: "revision" },
    revision === 0 ? {} : { ETag: etag(revision) },
  );
}
