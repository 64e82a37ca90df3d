import { type Birth, highestPid, lowestDescendant, processesSoFar } from './later-processes.ts';
import { killMarked } from './marked-processes.ts';

interface Sweep {
  births: Map<string, Birth>;
  done: Promise<void>;
}

/** Kills processes that ended containers left behind. Containers that end together share one scan of the processes. */
export class Sweeper {
  #next: Sweep | undefined;

  sweep(containerId: string, birth: Birth): Promise<void> {
    this.#next ??= this.#plan();
    this.#next.births.set(containerId, birth);
    return this.#next.done;
  }

  #plan(): Sweep {
    const births = new Map<string, Birth>();
    const done = new Promise<void>((resolve) => {
      setTimeout(() => {
        this.#next = undefined;
        const system = { processesNow: processesSoFar(), highestPid: highestPid() };
        const lowest = Math.min(...[...births.values()].map((each) => lowestDescendant(each, system)));
        killMarked(new Set(births.keys()), lowest);
        resolve();
      }, 5);
    });
    return { births, done };
  }
}
