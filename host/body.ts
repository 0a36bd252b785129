/**
 * Reads a request's body within a limit. A body that says it is too long is refused before a byte of it is
 * read, one that does not say is refused at the byte that is too many: neither is ever held whole.
 */
import { isUtf8 } from "node:buffer";
import type { Context } from "hono";
import { Problem, invalid, tooLarge } from "./problem.js";

/** Text of the body; refuses `unsupported-media-type`, `too-large`, and bytes that are not UTF-8 (`invalid`). */
export async function readBody(context: Context, bytesMax: number): Promise<string> {
  const type = context.req.header("content-type");
  // Required, not assumed: a page in a browser can send a body without a type, or as text, to a loopback
  // address without being asked; it cannot send application/json unless we allow it.
  if (type !== "application/json" && !isJsonType(type)) {
    throw new Problem(
      "unsupported-media-type",
      `The body must come as application/json; this one came as ${type === undefined ? "nothing (no Content-Type header)" : JSON.stringify(type.slice(0, 80))}.`,
      { field: "Content-Type", rule: "content-type" },
    );
  }
  const announced = context.req.header("content-length");
  if (announced !== undefined) {
    if (Number(announced) > bytesMax) throw overLimit(bytesMax, `it announces ${announced} bytes`);
    const bytes = new Uint8Array(await context.req.raw.arrayBuffer().catch(brokenOff));
    if (bytes.byteLength > bytesMax) throw overLimit(bytesMax, `this one has ${bytes.byteLength}`);
    return decode(bytes);
  }
  const stream = context.req.raw.body;
  if (stream === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = (await reader.read().catch(brokenOff)) as { done: boolean; value?: Uint8Array };
    if (done) break;
    if (value === undefined) continue;
    bytes += value.byteLength;
    if (bytes > bytesMax) {
      await reader.cancel();
      throw overLimit(bytesMax, "it goes on after that");
    }
    chunks.push(value);
  }
  return decode(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
}

function isJsonType(type: string | undefined): boolean {
  if (type === undefined) return false;
  const essence = type.split(";", 1)[0]?.trim().toLowerCase();
  return essence === "application/json";
}

function brokenOff(cause: unknown): never {
  throw new Problem(
    "invalid",
    "The body ended before it was complete.",
    { field: "", rule: "body-complete" },
    { Connection: "close" },
    { cause },
  );
}

function overLimit(bytesMax: number, how: string): Problem {
  const problem = tooLarge(
    "",
    "body-bytes",
    bytesMax,
    `A body may have at most ${bytesMax} bytes and ${how}; send less at once, or raise bodyLimitBytes.`,
  );
  // The rest of the body is not read, so the connection cannot carry another request.
  return new Problem(problem.code, problem.detail, problem.facts, { Connection: "close" });
}

function decode(bytes: Uint8Array): string {
  // A decoder that puts U+FFFD for what it cannot read would make two clients with different broken ids
  // one client.
  if (!isUtf8(bytes)) throw invalid("", "utf-8", "The body is not valid UTF-8.");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
