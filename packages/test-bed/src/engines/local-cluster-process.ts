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

/** `local-cluster serve` as a separate process that can be killed and restarted on the same state. */
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

  /** Kills the process with SIGKILL: it cannot finish requests or clean up. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** Waits until the server is ready and returns an administrator's client. The client stays usable across restarts. */
  async connect(): Promise<KubeClient & { close(): void }> {
    const kubeconfig = join(this.#stateDir, 'admin.kubeconfig');
    await waitFor('the kubeconfig of the local cluster exists', async () =>
      existsSync(kubeconfig) ? { met: true } : { seen: 'none' },
    );
    const client = httpClient({ access: await loadAccess({ kubeconfig }), log: silentLogger });
    await waitFor('the local cluster serves requests', async () => ({
      met: await client.get(namespaces, { name: 'default' }),
    }));
    return client;
  }
}
