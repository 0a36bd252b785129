/** Numbers that a seed fixes: the same seed rolls the same world on every machine. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 up to, but not, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0 up to, but not, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True in `share` of all rolls. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    const one = list[this.below(list.length)];
    if (one === undefined) throw new RangeError("nothing to pick from");
    return one;
  }

  /** The list in an order that every order is as likely as. */
  shuffled<T>(list: readonly T[]): T[] {
    const mixed = [...list];
    for (let i = mixed.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
    }
    return mixed;
  }
}

/** The seed of this run: HOLDFAST_SEED where that is set, else the clock's; tests print it in their names. */
export function seedOfRun(): number {
  const text = process.env["HOLDFAST_SEED"];
  if (text === undefined || text === "") return Date.now() % 1_000_000;
  if (!/^\d+$/.test(text)) throw new Error(`HOLDFAST_SEED must be a whole number, not "${text}"`);
  return Number(text);
}
