import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import type { KubeClient } from '@trimtab/kube/client.ts';

/** The environment of a run, which is needed to compare figures. */
export interface Machine {
  cores: number;
  processor: string;
  memoryGb: number;
  node: string;
  kubernetes: string;
}

export async function describeMachine(client: KubeClient): Promise<Machine> {
  const version = await client.raw<{ gitVersion: string }>({ method: 'GET', path: '/version' });
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    kubernetes: version.gitVersion,
  };
}

/** The load average of the last minute. */
export function loadAverage(): number {
  return Number((loadavg()[0] ?? 0).toFixed(2));
}
