import { startController } from '../bench-controller.ts';
import { createManaged, edit, inParallel } from '../managed-deployments.ts';
import { Mounts } from '../mounts.ts';
import type { Row } from '../row.ts';
import { settle } from '../settle.ts';

/** Row 3 of DESIGN §9. */
export const editStorm: Row = {
  name: 'edit-storm',
  what: 'a thousand ConfigMaps edited within a second, until the last workload is patched',
  async run(context) {
    const { count = 1_000, signal, say } = context;
    const names = Array.from({ length: count }, (_, index) => `app-${index}`);
    const controller = await startController(context);
    const stop = new AbortController();
    try {
      await createManaged(context, count);
      const mounts = await Mounts.watch(context, AbortSignal.any([stop.signal, signal]));
      await Promise.all(names.map((name) => mounts.changed(name, name)));
      say('edit-storm: the first versions become current');
      await settle(controller, 3);
      const before = new Map(names.map((name) => [name, mounts.of(name)]));
      const [listsBefore, cpuBefore] = [await controller.requests('list'), controller.cpuSeconds()];
      const began = performance.now();
      const patched = Promise.all(names.map((name) => mounts.changed(name, before.get(name) ?? '')));
      await inParallel(names, (name) => edit(context, name, 'storm'));
      const editedSeconds = (performance.now() - began) / 1000;
      await patched;
      const seconds = (performance.now() - began) / 1000;
      const lists = (await controller.requests('list')) - listsBefore;
      await settle(controller);
      return {
        ours: 'controller',
        peer: '–',
        how: `${count} ConfigMaps edited by 32 writers; every workload was patched, none was missed`,
        figures: [
          { what: 'edits sent', unit: 's', ours: editedSeconds },
          { what: 'the last workload patched', unit: 's', ours: seconds, budget: '≤ 10' },
          { what: 'LISTs by the controller meanwhile', unit: '', ours: lists, budget: '0' },
          {
            what: 'processor time for each edit',
            unit: 'ms',
            ours: ((controller.cpuSeconds() - cpuBefore) * 1000) / count,
          },
        ],
      };
    } finally {
      stop.abort();
      await controller.stop();
    }
  },
};
