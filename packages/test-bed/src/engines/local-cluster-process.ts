import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { namespaces } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { waitFor } from '../watching/wait-for.ts';

const program = fileURLToPath(import.meta.resolve('@trimtab/local-cluster/bin/local-cluster.ts'));

/** `local-cluster serve` as a process of its own: one that can be killed, and started again on the same state. */
export class LocalClusterProcess {
  readonly #stateDir: string;
  readonly #port: number;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(stateDir: string, port: number) {
    this.#stateDir = stateDir;
    this.#port = port;
  }

  start(): void {
    const flags = ['--state-dir', this.#stateDir, '--port', String(this.#port)];
    const child = spawn(process.execPath, [program, 'serve', ...flags], { stdio: 'ignore' });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
  }

  /** As `kill -9` does it: nothing is finished, nothing is said. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** The administrator's, when it serves; it outlives the process. */
  async connect(): Promise<KubeClient & { close(): void }> {
    const kubeconfig = join(this.#stateDir, 'admin.kubeconfig');
    await waitFor('there is a kubeconfig', async () =>
      existsSync(kubeconfig) ? { met: true } : { seen: 'none' },
    );
    const client = httpClient({ access: await loadAccess({ kubeconfig }), log: silentLogger });
    await waitFor('it serves', async () => ({ met: await client.get(namespaces, { name: 'default' }) }));
    return client;
  }
}
