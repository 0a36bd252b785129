/** The facts a figure means nothing without. */
import { cpus, release, totalmem } from "node:os";

export interface Machine {
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly system: string;
}

export function machine(): Machine {
  const all = cpus();
  return {
    node: process.version,
    cores: all.length,
    cpu: all[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch} ${release()}`,
  };
}

export function describe(facts: Machine): string {
  return `Node ${facts.node}, ${facts.cores} cores (${facts.cpu}), ${facts.memoryGb} GB, ${facts.system}`;
}
