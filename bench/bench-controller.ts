import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { trimtabCommand } from '../packages/trimtab/test/support/trimtab-command.ts';
import { type BenchProcess, figuresOf } from './bench-process.ts';
import { installCrd } from './install-crd.ts';
import type { BenchContext } from './row.ts';

export interface BenchController extends BenchProcess {
  /** Number of requests so far, from the controller's metrics. `verb` is optional; defaults to all verbs. */
  requests(verb?: string): Promise<number>;
  /** Number of reconciliations so far, from the controller's metrics. */
  reconciliations(): Promise<number>;
}

/**
 * Starts `trimtab controller` as a separate process, without coalescing of edits. It manages the namespace of the row, or
 * all namespaces.
 */
export async function startController(
  { bed, namespace, signal }: BenchContext,
  manages: 'its namespace' | 'all namespaces' = 'its namespace',
): Promise<BenchController> {
  const cluster = await readBed(bed);
  await installCrd(cluster);
  const where = ['--kubeconfig', cluster.kubeconfig, '--home-namespace', namespace];
  if (manages === 'its namespace') where.push('--namespace', namespace);
  const port = await freePort();
  const quick = ['--coalesce', '0s', '--health-port', String(port)];
  const began = performance.now();
  // For flags of a profiler, for example.
  const nodeFlags = process.env['TRIMTAB_BENCH_NODE_FLAGS']?.split(' ') ?? [];
  const child = spawn(...trimtabCommand(['controller', ...where, ...quick], { nodeFlags }), {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ready = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error('the controller exited before it was ready')));
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-5_000);
      if (log.includes('"msg":"reconcilers started"')) resolve();
    });
  });
  await ready;
  return {
    readySeconds: (performance.now() - began) / 1000,
    ...figuresOf(child.pid),
    requests: async (verb) =>
      sum(
        await metrics(port),
        // The Lease is renewed all the time, with or without edits.
        new RegExp(
          `^trimtab_kube_requests_total\\{verb="${verb ?? '\\w+'}",resource="(?!leases).*\\} (\\d+)$`,
          'gm',
        ),
      ),
    reconciliations: async () => sum(await metrics(port), /^trimtab_reconcile_total\{.*\} (\d+)$/gm),
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, delay(15_000)]);
    },
  };
}

async function metrics(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

function sum(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
}
