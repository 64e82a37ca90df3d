import { setTimeout as delay } from 'node:timers/promises';
import { startController } from '../bench-controller.ts';
import type { BenchProcess } from '../bench-process.ts';
import { startSketch } from '../bench-sketch.ts';
import { createManaged } from '../managed-deployments.ts';
import { untilRolledOut } from '../rolled-out.ts';
import type { BenchContext, Row } from '../row.ts';
import { seedConfigMaps, seedSecrets } from '../seed-configs.ts';
import { settle } from '../settle.ts';

const usualConfigs = 9_100;
const bytesEach = 29_500;
const idleSeconds = 20;

/**
 * Budgets in a cluster of 9,100 ConfigMaps and Secrets (209 MB of data) and 2,000 workloads: started within 10 s, 110 MB of
 * resident memory, 1 % of a core when idle.
 */
export const controllerMemory: Row = {
  name: 'controller-memory',
  what: 'memory, start-up time and idle CPU of the controller in a large cluster',
  async prepare(context) {
    const { configs, workloads } = sizes(context);
    // Also installs the CRD of the managed configs.
    await (await startController(context)).stop();
    const secrets = Math.floor((configs - workloads) / 2);
    await seedConfigMaps(context, configs - workloads - secrets, bytesEach);
    await seedSecrets(context, secrets, bytesEach);
    await createManaged(context, workloads);
    const first = await startController(context);
    context.say('controller-memory: the first controller creates a version of each managed config');
    await settle(first, 3);
    await first.stop();
    // Until then, the Deployment controller writes status, and the programs are not idle.
    context.say('controller-memory: waiting until Kubernetes has observed all Deployments');
    await untilRolledOut(context, 0);
  },
  async run(context) {
    const { configs, workloads } = sizes(context);
    const peer = await figuresAtRest(context, 'sketch', (inside) =>
      startSketch('sketch-cache-process', inside),
    );
    const ours = await figuresAtRest(context, 'controller', startController);
    return {
      ours: 'controller',
      peer: 'sketch',
      how: `${configs} ConfigMaps and Secrets, of which ${workloads} ConfigMaps are managed and used by one Deployment each, and have a version; the others contain ${bytesEach} bytes; resident memory is read when the first reconciliations are over, and again after ${idleSeconds} idle seconds. The sketch only holds names and resourceVersions. Reloader took 330–360 MB`,
      figures: [
        {
          what: 'started and in sync',
          unit: 's',
          ours: ours.readySeconds,
          peer: peer.readySeconds,
          budget: { atMost: 10 },
        },
        {
          what: 'resident after the start',
          unit: 'MB',
          ours: ours.startedMb,
          peer: peer.startedMb,
        },
        {
          what: 'resident at rest',
          unit: 'MB',
          ours: ours.residentMb,
          peer: peer.residentMb,
          budget: { atMost: 110 },
        },
        {
          what: 'idle',
          unit: '% of a core',
          ours: ours.idlePercent,
          peer: peer.idlePercent,
          budget: { atMost: 1 },
        },
      ],
    };
  },
};

function sizes({ count: configs = usualConfigs }: BenchContext): { configs: number; workloads: number } {
  return { configs, workloads: Math.round(configs * (2_000 / usualConfigs)) };
}

async function figuresAtRest(
  context: BenchContext,
  name: string,
  start: (context: BenchContext) => Promise<BenchProcess>,
): Promise<{ readySeconds: number; startedMb: number; residentMb: number; idlePercent: number }> {
  const program = await start(context);
  try {
    await settle(program, 3);
    const startedMb = program.residentMb();
    const before = program.cpuSeconds();
    context.say(`controller-memory: ${name} is idle for ${idleSeconds} s`);
    await delay(idleSeconds * 1_000);
    const idlePercent = ((program.cpuSeconds() - before) / idleSeconds) * 100;
    const { readySeconds } = program;
    return { readySeconds, startedMb, residentMb: program.residentMb(), idlePercent };
  } finally {
    await program.stop();
  }
}
