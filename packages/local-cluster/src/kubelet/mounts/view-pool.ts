import type { Clock } from '@trimtab/kube/clock.ts';
import { BlankView } from './blank-view.ts';
import type { MountTools } from './probe-mounts.ts';
import type { ViewTemplate } from './view-templates.ts';

interface Spare {
  view: BlankView;
  cancel: () => void;
}

/** How long a spare is kept. Starts of similar containers come in bursts; after this time another one is unlikely. */
const keptMs = 10_000;
/** Maximum number of spares; at most one per mould. */
const mostSpares = 4;
/** Delay before a spare is created, so that it does not slow down the container that is starting. */
const politeMs = 10;

/** Blank views created in advance, so that containers of a rolling update start without waiting for one. */
export class ViewPool {
  readonly #tools: MountTools;
  readonly #clock: Clock;
  readonly #spares = new Map<string, Spare>();
  readonly #wanted = new Map<string, () => void>();

  constructor(tools: MountTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  take({ key, script }: ViewTemplate): BlankView {
    const spare = this.#spares.get(key);
    this.#spares.delete(key);
    spare?.cancel();
    return spare === undefined || spare.view.isOver ? new BlankView(script, this.#tools) : spare.view;
  }

  /** Schedules the creation of a spare for the next caller. */
  provide(mould: ViewTemplate): void {
    const { key } = mould;
    if (this.#wanted.has(key)) return;
    const make = () => {
      this.#wanted.delete(key);
      this.#make(mould);
    };
    this.#wanted.set(key, this.#clock.after(politeMs, make));
  }

  async close(): Promise<void> {
    for (const cancel of this.#wanted.values()) cancel();
    this.#wanted.clear();
    await Promise.all([...this.#spares].map(([key, spare]) => this.#drop(key, spare)));
  }

  #make({ key, script }: ViewTemplate): void {
    if (this.#spares.has(key) || this.#spares.size >= mostSpares) return;
    const view = new BlankView(script, this.#tools);
    const spare = { view, cancel: this.#clock.after(keptMs, () => void this.#drop(key, spare)) };
    this.#spares.set(key, spare);
    // A caller then creates its own view, and gets the error from there.
    view.isBlank.catch(() => this.#drop(key, spare));
  }

  async #drop(key: string, spare: Spare): Promise<void> {
    if (this.#spares.get(key) !== spare) return;
    spare.cancel();
    this.#spares.delete(key);
    await spare.view.close();
  }
}
