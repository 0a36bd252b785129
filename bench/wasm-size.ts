/** How large the core is: what an embedder ships and a browser fetches. */
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { coreFile } from "#events/core.js";
import type { Report } from "./harness/group.js";
import { summarise } from "./harness/sample.js";
import type { Scale } from "./harness/scale.js";

export function run(_scale: Scale, report: Report): Promise<void> {
  const bytes = readFileSync(coreFile("release"));
  const kilobytes = (length: number): { unit: "kB"; figure: ReturnType<typeof summarise> } => ({ unit: "kB", figure: summarise([length / 1000]) });
  report({ name: "wasm-size.plain", ...kilobytes(bytes.length) });
  report({ name: "wasm-size.gzip", ...kilobytes(gzipSync(bytes, { level: 9 }).length) });
  report({ name: "wasm-size.brotli", ...kilobytes(brotliCompressSync(bytes).length) });
  return Promise.resolve();
}
