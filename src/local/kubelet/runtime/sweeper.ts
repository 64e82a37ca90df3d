import { killMarked } from './marked-processes.ts';

/** Looks for what ended containers have left behind; those that end together share one look at all processes. */
export class Sweeper {
  #next: { ids: Set<string>; done: Promise<void> } | undefined;

  sweep(containerId: string): Promise<void> {
    this.#next ??= this.#plan();
    this.#next.ids.add(containerId);
    return this.#next.done;
  }

  #plan(): { ids: Set<string>; done: Promise<void> } {
    const ids = new Set<string>();
    const done = new Promise<void>((resolve) => {
      setTimeout(() => {
        this.#next = undefined;
        killMarked(ids);
        resolve();
      }, 5);
    });
    return { ids, done };
  }
}
