/**
 * States of earlier moments, each in a core instance of its own. The one used last is kept: who looks at a
 * moment usually looks again, or a little later.
 */
import type { Core, CoreFlavour } from "./core.js";
import type { ReadableStore } from "./replay.js";
import { rebuild } from "./replay.js";

/** States of one moment shared by those who read it at the same time. */
interface Shared {
  readonly position: number;
  readonly core: Promise<Core>;
  users: number;
}

/** Moments looked at together; each holds a whole state in memory. */
const kept = 2;

export class PastStates {
  private states: Shared[] = [];

  constructor(
    private readonly store: ReadableStore,
    private readonly flavour?: CoreFlavour,
  ) {}

  /** The state right behind `position`; call `release` when done with it. */
  async take(position: number): Promise<{ core: Core; release(): void }> {
    let shared = this.states.find((state) => state.position === position);
    if (!shared) {
      shared = { position, core: rebuild(this.store, position, this.flavour ? { flavour: this.flavour } : {}), users: 0 };
      this.states.push(shared);
    }
    const taken = shared;
    taken.users++;
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      taken.users--;
      this.forgetIdle();
    };
    try {
      return { core: await taken.core, release };
    } catch (error) {
      this.states = this.states.filter((state) => state !== taken);
      throw error;
    }
  }

  private forgetIdle(): void {
    let idle = this.states.filter((state) => state.users === 0).length;
    this.states = this.states.filter((state) => state.users > 0 || idle-- <= kept);
  }
}
