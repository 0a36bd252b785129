/** A directory for one test, gone afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Scratch {
  readonly path: string;
  remove(): Promise<void>;
}

export async function scratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), "holdfast-store-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
