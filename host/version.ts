/** The package's version, read once from its package.json. */
import { readFileSync } from "node:fs";

function packageVersion(): string {
  // dist/host/version.js -> package.json two levels up.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

export const version = packageVersion();
