import { bakeForLong, scaleToOne } from '../baking-deployments.ts';
import type { BenchController } from '../bench-controller.ts';
import { withNamespace } from '../bench-namespace.ts';
import type { Budget } from '../budget.ts';
import { CurrentVersions } from '../current-versions.ts';
import { type Contexts, EditSides, type Side } from '../edit-sides.ts';
import { inParallel } from '../managed-deployments.ts';
import { percentile } from '../percentile.ts';
import { untilRolledOut } from '../rolled-out.ts';
import type { BenchContext, Figure, Measurement, Row } from '../row.ts';
import type { Templates } from '../templates.ts';

const usualDeployments = 50;
const rounds = 4;
const bursts = 3;

/**
 * Budgets: single edits take at most 1.25 times (p50) and twice (p99) as long as those of the sketch; 50 edits at once,
 * while the last versions bake, are patched within 0.6 s; an edit takes at most 8 requests and 12 reconciliations.
 */
export const editToPatch: Row = {
  name: 'edit-to-patch',
  what: 'from an edit of a ConfigMap to the patched workload, including the new version',
  async run(context) {
    const { client, reloader: binary, say } = context;
    const inNewNamespace = <T>(use: (context: BenchContext) => Promise<T>) =>
      withNamespace(client, say, (namespace) => use({ ...context, namespace }));
    return await inNewNamespace((sketch) =>
      binary === undefined
        ? measure({ ours: context, sketch, reloader: undefined })
        : inNewNamespace((inside) => measure({ ours: context, sketch, reloader: { ...inside, binary } })),
    );
  },
};

/** What one side took: milliseconds for each single edit, seconds for each burst, CPU time for all edits back to back. */
interface Taken {
  single: number[];
  row: number[];
  burst: number[];
  baking: number[];
  usedSeconds: number;
}

interface Work {
  requests: number;
  reconciliations: number;
}

/** One repetition. Each phase alternates between the sides, so that load on the machine affects all of them. */
class Repetition {
  readonly #sides: EditSides;
  readonly #names: readonly string[];
  readonly #current: CurrentVersions;
  readonly #taken = new Map<Side, Taken>();
  readonly work: Work = { requests: 0, reconciliations: 0 };

  constructor(sides: EditSides, names: readonly string[], current: CurrentVersions) {
    this.#sides = sides;
    this.#names = names;
    this.#current = current;
    for (const side of sides.all)
      this.#taken.set(side, { single: [], row: [], burst: [], baking: [], usedSeconds: 0 });
  }

  async oneByOne(value: string): Promise<void> {
    const { ours, all } = this.#sides;
    for (const name of this.#names) {
      for (const side of all) this.#of(side).single.push(await side.templates.editAndWait(name, value));
      await this.#current.is(name, ours.templates.of(name));
    }
  }

  async backToBack(value: string): Promise<void> {
    const { ours, all, controller } = this.#sides;
    for (const side of all) {
      await this.#sides.settle();
      const taken = this.#of(side);
      const before = await workOf(controller);
      const cpuBefore = side.program.cpuSeconds();
      for (const name of this.#names) taken.row.push(await side.templates.editAndWait(name, value));
      await this.#sides.settle();
      taken.usedSeconds += side.program.cpuSeconds() - cpuBefore;
      if (side !== ours) continue;
      const after = await workOf(controller);
      this.work.requests += after.requests - before.requests;
      this.work.reconciliations += after.reconciliations - before.reconciliations;
    }
  }

  async allAtOnce(value: string): Promise<void> {
    for (const side of this.#sides.all) {
      await this.#sides.settle();
      this.#of(side).burst.push(await burst(side.templates, this.#names, value));
    }
  }

  /** Gives each workload a pod and starts activations that do not end before the row does. */
  async startToBake(): Promise<void> {
    const { ours, all } = this.#sides;
    await bakeForLong(ours.context, this.#names);
    for (const { context, templates } of all) {
      await scaleToOne(context, this.#names);
      await untilRolledOut(context, 1);
      await this.#sides.settle();
      await burst(templates, this.#names, 'begins to bake');
    }
  }

  async allAtOnceWhileBaking(value: string): Promise<void> {
    const { ours, all } = this.#sides;
    for (const side of all) {
      await untilRolledOut(side.context, 1);
      await this.#sides.settle();
      const ended = this.#names.filter((name) => this.#current.of(name) === ours.templates.of(name));
      if (ended.length > 0) throw new Error(`the activations of ${ended.join(', ')} do not bake`);
      this.#of(side).baking.push(await burst(side.templates, this.#names, value));
    }
  }

  /** The columns of a figure. */
  columns(of: (taken: Taken) => number): { ours: number; peer: number; reloader?: number } {
    const { ours, sketch, reloader } = this.#sides;
    return {
      ours: of(this.#of(ours)),
      peer: of(this.#of(sketch)),
      ...(reloader && { reloader: of(this.#of(reloader)) }),
    };
  }

  #of(side: Side): Taken {
    const taken = this.#taken.get(side);
    if (taken === undefined) throw new Error('the side is not part of this repetition');
    return taken;
  }
}

async function measure(contexts: Contexts): Promise<Measurement> {
  const { count = usualDeployments, say, signal } = contexts.ours;
  const names = Array.from({ length: count }, (_, index) => `app-${index}`);
  return await EditSides.with(contexts, count, async (sides) => {
    const stop = new AbortController();
    try {
      const until = AbortSignal.any([stop.signal, signal]);
      const current = await CurrentVersions.watch(contexts.ours, until);
      await Promise.all(names.map((name) => sides.ours.templates.changed(name, name)));
      await sides.settle();
      const repetition = new Repetition(sides, names, current);
      for (let round = 1; round <= rounds; round++) {
        say(`edit-to-patch: one by one, round ${round} of ${rounds}`);
        await repetition.oneByOne(`single ${round}`);
        say(`edit-to-patch: back to back, round ${round} of ${rounds}`);
        await repetition.backToBack(`row ${round}`);
      }
      for (let n = 1; n <= bursts; n++) {
        say(`edit-to-patch: ${count} at once, ${n} of ${bursts}`);
        await repetition.allAtOnce(`burst ${n}`);
      }
      say('edit-to-patch: starting activations that bake');
      await repetition.startToBake();
      for (let n = 1; n <= bursts; n++) {
        say(`edit-to-patch: ${count} at once while the last activations bake, ${n} of ${bursts}`);
        await repetition.allAtOnceWhileBaking(`baking ${n}`);
      }
      return describe(repetition, count);
    } finally {
      stop.abort();
    }
  });
}

function describe(repetition: Repetition, count: number): Measurement {
  const edits = count * rounds;
  const { requests, reconciliations } = repetition.work;
  // The first round warms up the just-in-time compilers and is not counted.
  const latency = (what: string, phase: 'single' | 'row', percent: number, budget?: Budget): Figure => ({
    what: `${what}, p${percent}`,
    unit: 'ms',
    ...repetition.columns((taken) => percentile(taken[phase].slice(count), percent)),
    ...(budget && { budget }),
  });
  const last = (what: string, phase: 'burst' | 'baking', budget?: Budget): Figure => ({
    what: `${count} at once ${what}, last`,
    unit: 's',
    ...repetition.columns((taken) => percentile(taken[phase], 50)),
    ...(budget && { budget }),
  });
  return {
    ours: 'controller',
    peer: 'sketch',
    how: `PATCH of a ConfigMap sent → patched Deployment observed on a watch; coalescing off, no pods; ${edits} edits one by one, each after the previous version is current; as many back to back; then ${count} at once, first at rest, then with one pod each while the last activations bake. The sketch does only GET, copy and patch`,
    figures: [
      latency('one by one', 'single', 50, { atMostTimesPeer: 1.25 }),
      latency('one by one', 'single', 99, { atMostTimesPeer: 2 }),
      latency('back to back', 'row', 50),
      latency('back to back', 'row', 99),
      last('at rest', 'burst'),
      last('while the last activations bake', 'baking', { atMost: 0.6 }),
      { what: 'reconciliations per edit', unit: '', ours: reconciliations / edits, budget: { atMost: 12 } },
      { what: 'requests per edit', unit: '', ours: requests / edits, budget: { atMost: 8 } },
      {
        what: 'CPU time per edit',
        unit: 'ms',
        ...repetition.columns(({ usedSeconds }) => (usedSeconds * 1000) / edits),
      },
    ],
  };
}

async function workOf(controller: BenchController): Promise<Work> {
  return { requests: await controller.requests(), reconciliations: await controller.reconciliations() };
}

/** Edits all configs at once and returns the seconds until the last Deployment is patched. */
async function burst(templates: Templates, names: readonly string[], value: string): Promise<number> {
  const began = performance.now();
  const editAndWait = async (name: string) => {
    await templates.editAndWait(name, value);
  };
  await inParallel(names, editAndWait, names.length);
  return (performance.now() - began) / 1000;
}
