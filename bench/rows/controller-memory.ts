import { setTimeout as delay } from 'node:timers/promises';
import { startController } from '../bench-controller.ts';
import { createManaged } from '../managed-deployments.ts';
import type { Row } from '../row.ts';
import { seedConfigMaps } from '../seed-config-maps.ts';
import { settle } from '../settle.ts';

/**
 * Budgets in a cluster of 9,100 configs (23 KB each, 209 MB in all) and 2,000 workloads: started within 10 s, 120 MB of
 * resident memory, 1 % of a core when idle.
 */
export const controllerMemory: Row = {
  name: 'controller-memory',
  what: 'memory, start-up time and idle CPU of the controller in a large cluster',
  async run(context) {
    const { count = 9_100, say } = context;
    const workloads = Math.round(count * (2_000 / 9_100));
    const warmUp = await startController(context);
    await warmUp.stop();
    await seedConfigMaps(context, count - workloads, 29_500);
    await createManaged(context, workloads);
    const first = await startController(context);
    say('controller-memory: the first controller creates a version of each managed config');
    await settle(first, 3);
    await first.stop();
    const controller = await startController(context);
    try {
      await settle(controller, 3);
      const resident = controller.residentMb();
      const before = controller.cpuSeconds();
      const idleSeconds = 20;
      say(`controller-memory: idle for ${idleSeconds} s`);
      await delay(idleSeconds * 1_000);
      return {
        ours: 'controller',
        peer: 'Reloader, measured before',
        how: `second start of the controller; ${count} ConfigMaps, of which ${workloads} are managed and used by one Deployment each; resident memory is read when the controller is idle`,
        figures: [
          { what: 'started and in sync', unit: 's', ours: controller.readySeconds, budget: '≤ 10' },
          { what: 'resident', unit: 'MB', ours: resident, peer: 345, budget: '≤ 120' },
          {
            what: 'idle',
            unit: '% of a core',
            ours: ((controller.cpuSeconds() - before) / idleSeconds) * 100,
            budget: '≤ 1',
          },
        ],
      };
    } finally {
      await controller.stop();
    }
  },
};
