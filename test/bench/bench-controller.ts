import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readBed } from '../support/bed.ts';
import { installCrd } from './install-crd.ts';
import { cpuSeconds, residentMb } from './process-figures.ts';
import type { BenchContext } from './row.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface BenchController {
  /** From the start of the process until its caches are complete and it works. */
  readySeconds: number;
  residentMb(): number;
  /** User and system time that it has used so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** `trimtab controller` for the row's namespace, as a process of its own, coalescing off: every edit counts. */
export async function startController({ bed, namespace, signal }: BenchContext): Promise<BenchController> {
  const cluster = await readBed(bed);
  await installCrd(cluster);
  const where = ['--kubeconfig', cluster.kubeconfig, '--namespace', namespace, '--home-namespace', namespace];
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [path.join(root, 'src/bin/trimtab.ts'), 'controller', ...where, '--coalesce', '0s', '--health-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'], signal },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ready = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error('the controller ended')));
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-5_000);
      if (log.includes('"msg":"reconciling"')) resolve();
    });
  });
  await ready;
  const { pid } = child;
  return {
    readySeconds: (performance.now() - began) / 1000,
    residentMb: () => residentMb(pid),
    cpuSeconds: () => cpuSeconds(pid),
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, delay(15_000)]);
    },
  };
}
