/** The SQLite segment of a test's log, for looking and for damaging behind the store's back while it is closed. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { crcOf, encodeHeader } from "#events/chain.js";
import type { Damage } from "./contract/harness.js";

export const REALM = "r";

export function logFolder(dataDir: string): string {
  return join(dataDir, REALM);
}

export function segmentPath(dataDir: string): string {
  return join(logFolder(dataDir), "log-0000000000000001.db");
}

export async function damageFolder(dataDir: string, how: Damage): Promise<void> {
  if (how.kind === "flip-snapshot") {
    const path = join(logFolder(dataDir), "snapshots", `${String(how.position).padStart(16, "0")}.snap`);
    const bytes = await readFile(path);
    bytes[bytes.byteLength - 33]! ^= 1;
    await writeFile(path, bytes);
    return;
  }
  const db = new Database(segmentPath(dataDir));
  try {
    const row = db.prepare("SELECT * FROM batch WHERE first = ?").get(how.first) as {
      first: number; count: number; at: number; epoch: number; digest: Buffer; body: Buffer;
    };
    if (how.kind === "remove-batch") db.prepare("DELETE FROM batch WHERE first = ?").run(how.first);
    else if (how.kind === "flip-body") {
      row.body[40]! ^= 1;
      db.prepare("UPDATE batch SET body = ? WHERE first = ?").run(row.body, how.first);
    } else if (how.kind === "flip-digest") {
      row.digest[5]! ^= 1;
      db.prepare("UPDATE batch SET digest = ? WHERE first = ?").run(row.digest, how.first);
    } else {
      const crc = crcOf(encodeHeader(row, how.body.byteLength), how.body);
      db.prepare("UPDATE batch SET body = ?, crc = ? WHERE first = ?").run(how.body, crc, how.first);
    }
  } finally {
    db.close();
  }
}
