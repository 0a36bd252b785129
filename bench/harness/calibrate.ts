/**
 * How fast this machine is at the four things everything here is made of, so that figures of two machines
 * can be told apart from two versions.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddressInfo } from "node:net";

export interface Speed {
  /** One round of a xorshift, nanoseconds: plain integer work. */
  readonly integerNs: number;
  /** One read at a random place of 64 MB, nanoseconds: memory the caches do not hold. */
  readonly memoryNs: number;
  /** One 4 kB write made durable, microseconds. */
  readonly syncUs: number;
  /** One byte there and back over loopback, both ends in one process, microseconds. */
  readonly echoUs: number;
}

function timeOf(rounds: number, work: () => number): number {
  work();
  const start = performance.now();
  const result = work();
  const spent = (performance.now() - start) / rounds;
  return result === -1 ? Number.NaN : spent;
}

function integer(rounds: number): number {
  return timeOf(rounds, () => {
    let x = 1;
    for (let i = 0; i < rounds; i++) {
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
    }
    return x;
  });
}

function memory(rounds: number): number {
  const words = new Int32Array(1 << 24);
  return timeOf(rounds, () => {
    let x = 1;
    for (let i = 0; i < rounds; i++) {
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
      x += words[x & (words.length - 1)] as number;
    }
    return x;
  });
}

function sync(rounds: number): number {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-sync-"));
  const file = openSync(join(folder, "log"), "w");
  try {
    const page = new Uint8Array(4096);
    return timeOf(rounds, () => {
      for (let i = 0; i < rounds; i++) {
        writeSync(file, page);
        fdatasyncSync(file);
      }
      return 0;
    });
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}

function echo(rounds: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer({ noDelay: true }, (socket) => socket.pipe(socket)).listen(0, "127.0.0.1", () => {
      const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", noDelay: true });
      let left = rounds;
      let start = 0;
      socket.once("error", reject);
      socket.once("connect", () => {
        start = performance.now();
        socket.write("x");
      });
      socket.on("data", () => {
        if (--left > 0) return void socket.write("x");
        socket.end();
        server.close();
        resolve((performance.now() - start) / rounds);
      });
    });
    server.once("error", reject);
  });
}

/** Takes about a second. */
export async function calibrate(): Promise<Speed> {
  return {
    integerNs: integer(2e7) * 1e6,
    memoryNs: memory(1e6) * 1e6,
    syncUs: sync(50) * 1e3,
    echoUs: (await echo(3_000)) * 1e3,
  };
}

export function describeSpeed(speed: Speed): string {
  const { integerNs, memoryNs, syncUs, echoUs } = speed;
  return `integer ${integerNs.toFixed(2)} ns, memory ${memoryNs.toFixed(1)} ns, durable 4 kB ${syncUs.toFixed(0)} us, loopback echo ${echoUs.toFixed(0)} us`;
}
