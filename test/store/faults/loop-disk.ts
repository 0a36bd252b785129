/** A small ext4 in a file, mounted: a disk of one's own, whose power can be cut and which can be full. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Needs root and loop devices. CI must have both. */
export const canMount = process.env["CI"] === "true" || (process.getuid?.() === 0 && existsSync("/dev/loop-control") && existsSync("/sbin/mkfs.ext4"));

export class LoopDisk {
  private constructor(
    /** The file that holds the disk. */
    readonly image: string,
    /** Where it is mounted. */
    readonly path: string,
  ) {}

  /** Makes and mounts a new disk below `folder`. */
  static async make(folder: string, name: string, bytes: number): Promise<LoopDisk> {
    const image = join(folder, `${name}.img`);
    await writeFile(image, "");
    await truncate(image, bytes);
    await run("mkfs.ext4", ["-q", "-F", "-m", "0", image]);
    return LoopDisk.mount(folder, name);
  }

  /** Mounts the image that lies there; its journal is replayed as after a crash. */
  static async mount(folder: string, name: string): Promise<LoopDisk> {
    const disk = new LoopDisk(join(folder, `${name}.img`), join(folder, name));
    await mkdir(disk.path, { recursive: true });
    await run("mount", ["-o", "loop", disk.image, disk.path]);
    return disk;
  }

  /** What is on the medium now, without what the kernel still keeps for it, as another image. */
  async copyMedium(to: string): Promise<void> {
    await run("cp", ["--sparse=always", this.image, to]);
  }

  async unmount(): Promise<void> {
    await run("umount", [this.path]);
  }
}
