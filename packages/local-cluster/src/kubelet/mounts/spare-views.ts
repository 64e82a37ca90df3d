import type { Clock } from '@trimtab/kube/clock.ts';
import { BlankView } from './blank-view.ts';
import type { MountTools } from './probe-mounts.ts';
import type { ViewMould } from './view-moulds.ts';

interface Spare {
  view: BlankView;
  cancel: () => void;
}

/** Whoever starts one container soon starts another one like it, or nobody does for long. */
const keptMs = 10_000;
/** Of different shapes. */
const mostSpares = 4;
/** First the one that was asked for has to start. */
const politeMs = 10;

/** Blank views that are made before they are asked for: a rolling update need not wait for them. */
export class SpareViews {
  readonly #tools: MountTools;
  readonly #clock: Clock;
  readonly #spares = new Map<string, Spare>();
  readonly #wanted = new Map<string, () => void>();

  constructor(tools: MountTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  take({ key, script }: ViewMould): BlankView {
    const spare = this.#spares.get(key);
    this.#spares.delete(key);
    spare?.cancel();
    return spare === undefined || spare.view.isOver ? new BlankView(script, this.#tools) : spare.view;
  }

  /** One for the next who asks, soon. */
  provide(mould: ViewMould): void {
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

  #make({ key, script }: ViewMould): void {
    if (this.#spares.has(key) || this.#spares.size >= mostSpares) return;
    const view = new BlankView(script, this.#tools);
    const spare = { view, cancel: this.#clock.after(keptMs, () => void this.#drop(key, spare)) };
    this.#spares.set(key, spare);
    // Who asks when it has failed gets to know why from one of their own.
    view.isBlank.catch(() => this.#drop(key, spare));
  }

  async #drop(key: string, spare: Spare): Promise<void> {
    if (this.#spares.get(key) !== spare) return;
    spare.cancel();
    this.#spares.delete(key);
    await spare.view.close();
  }
}
