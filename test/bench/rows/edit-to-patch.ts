import { startController } from '../bench-controller.ts';
import { createManaged, edit, inParallel, watchMounts } from '../managed-deployments.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Row } from '../row.ts';

const usualDeployments = 50;
const rounds = 6;

/** Rows 1 and 2 of DESIGN §9. */
export const editToPatch: Row = {
  name: 'edit-to-patch',
  what: 'from an edit of a ConfigMap to the patched workload, version included',
  async run(context) {
    const { count = usualDeployments, say, signal } = context;
    const names = Array.from({ length: count }, (_, index) => `app-${index}`);
    const controller = await startController(context);
    const stop = new AbortController();
    try {
      const mounts = new Mounts();
      await createManaged(context, count);
      await watchMounts(context, AbortSignal.any([stop.signal, signal]), (name, mount) =>
        mounts.seen(name, mount),
      );
      await Promise.all(names.map((name) => mounts.changed(name, name)));
      const single: number[] = [];
      for (let round = 1; round <= rounds; round++) {
        say(`edit-to-patch: one by one, round ${round} of ${rounds}`);
        for (const name of names) single.push(await editAndWait(context, mounts, name, `${round}`));
      }
      const bursts: number[] = [];
      for (let burst = 1; burst <= 3; burst++) {
        say(`edit-to-patch: ${count} at once, ${burst} of 3`);
        const began = performance.now();
        await inParallel(
          names,
          async (name) => {
            await editAndWait(context, mounts, name, `burst ${burst}`);
          },
          count,
        );
        bursts.push((performance.now() - began) / 1000);
      }
      return {
        ours: 'controller',
        peer: 'Reloader, measured before',
        how: `PATCH of a ConfigMap sent → Deployment with the new version seen on a watch; coalescing off, no pods, ${count * rounds} edits one by one; then ${count} at once`,
        figures: [
          {
            what: 'one by one, p50',
            unit: 'ms',
            ours: percentile(single.slice(count), 50),
            peer: 12.5,
            budget: '≤ 10',
          },
          {
            what: 'one by one, p99',
            unit: 'ms',
            ours: percentile(single.slice(count), 99),
            peer: 100,
            budget: '≤ 50',
          },
          {
            what: `${count} at once, the last`,
            unit: 's',
            ours: percentile(bursts, 50),
            peer: 4.9,
            budget: '≤ 0.5',
          },
        ],
      };
    } finally {
      stop.abort();
      await controller.stop();
    }
  },
};

/** Rows 3 of DESIGN §9. */
export const editStorm: Row = {
  name: 'edit-storm',
  what: 'a thousand ConfigMaps edited within a second, until the last workload is patched',
  async run(context) {
    const { count = 1_000, signal } = context;
    const names = Array.from({ length: count }, (_, index) => `app-${index}`);
    const controller = await startController(context);
    const stop = new AbortController();
    try {
      const mounts = new Mounts();
      await createManaged(context, count);
      await watchMounts(context, AbortSignal.any([stop.signal, signal]), (name, mount) =>
        mounts.seen(name, mount),
      );
      await Promise.all(names.map((name) => mounts.changed(name, name)));
      const before = new Map(names.map((name) => [name, mounts.of(name)]));
      const began = performance.now();
      const patched = Promise.all(names.map((name) => mounts.changed(name, before.get(name) ?? '')));
      await inParallel(names, (name) => edit(context, name, 'storm'));
      const editedSeconds = (performance.now() - began) / 1000;
      await patched;
      return {
        ours: 'controller',
        peer: '–',
        how: `${count} ConfigMaps edited by 32 writers; every workload was patched`,
        figures: [
          { what: 'edits sent', unit: 's', ours: editedSeconds },
          {
            what: 'the last workload patched',
            unit: 's',
            ours: (performance.now() - began) / 1000,
            budget: '≤ 10',
          },
        ],
      };
    } finally {
      stop.abort();
      await controller.stop();
    }
  },
};

async function editAndWait(
  context: BenchContext,
  mounts: Mounts,
  name: string,
  value: string,
): Promise<number> {
  const before = mounts.of(name);
  const changed = mounts.changed(name, before);
  const began = performance.now();
  await edit(context, name, value);
  return (await changed) - began;
}

/** Which ConfigMap each Deployment mounts, and who waits for another one. */
class Mounts {
  readonly #mounts = new Map<string, string>();
  readonly #waiting = new Map<string, { not: string; resolve: (at: number) => void }>();

  of(name: string): string {
    return this.#mounts.get(name) ?? '';
  }

  seen(name: string, mount: string): void {
    this.#mounts.set(name, mount);
    const waiter = this.#waiting.get(name);
    if (waiter === undefined || waiter.not === mount) return;
    this.#waiting.delete(name);
    waiter.resolve(performance.now());
  }

  /** When the Deployment mounts something else than `not`. */
  changed(name: string, not: string): Promise<number> {
    const now = this.#mounts.get(name);
    if (now !== undefined && now !== not) return Promise.resolve(performance.now());
    return new Promise((resolve) => this.#waiting.set(name, { not, resolve }));
  }
}
