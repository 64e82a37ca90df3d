import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { cpuSeconds, residentMb } from '../process-figures.ts';

const program = path.resolve(import.meta.dirname, '../../packages/local-cluster/src/bin/local-cluster.ts');

/** Starts `local-cluster serve` as users do, with a temporary state folder. */
export async function startLocalServer(signal: AbortSignal) {
  const stateDir = await mkdtemp(path.join(tmpdir(), 'trimtab-bench-'));
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [program, 'serve', '--state-dir', stateDir, '--port', '0', '--log-level', 'error'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      signal,
    },
  );
  child.on('error', () => {});
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(stateDir, { recursive: true, force: true });
  };
  try {
    const early = ended.then(([code]) => {
      throw new Error(`the local API server exited with code ${code} before it was ready`);
    });
    await Promise.race([once(child.stdout, 'data'), early]);
    early.catch(() => {});
    const access = await loadAccess({ kubeconfig: path.join(stateDir, 'admin.kubeconfig') });
    const client = httpClient({ access, log: silentLogger, userAgent: 'trimtab-bench' });
    await client.raw({ method: 'GET', path: '/version' });
    return {
      access,
      client,
      readyMs: performance.now() - began,
      residentMb: () => residentMb(child.pid),
      cpuSeconds: () => cpuSeconds(child.pid),
      /** Resident memory after the server has been idle for this long. */
      async idleMb(seconds: number) {
        await delay(seconds * 1000, undefined, { signal });
        return residentMb(child.pid);
      },
      async close() {
        client.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
