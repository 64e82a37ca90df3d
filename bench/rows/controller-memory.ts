import { setTimeout as delay } from 'node:timers/promises';
import { startController } from '../bench-controller.ts';
import { createManaged } from '../managed-deployments.ts';
import type { Row } from '../row.ts';
import { seedConfigMaps } from '../seed-config-maps.ts';
import { settle } from '../settle.ts';

/** Row 4 of DESIGN §9: 9,100 configs of 23 KB each, 209 MB in all, and 2,000 workloads. */
export const controllerMemory: Row = {
  name: 'controller-memory',
  what: 'what the controller weighs in a large cluster, and how long it takes to know it',
  async run(context) {
    const { count = 9_100, say } = context;
    const workloads = Math.round(count * (2_000 / 9_100));
    const warmUp = await startController(context);
    await warmUp.stop();
    await seedConfigMaps(context, count - workloads, 29_500);
    await createManaged(context, workloads);
    const first = await startController(context);
    say('controller-memory: the first controller makes a version of each config');
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
        how: `a second start, ${count} ConfigMaps of which ${workloads} are managed by a Deployment each; resident when it has nothing to do any more`,
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
