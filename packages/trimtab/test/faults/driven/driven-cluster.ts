import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { sleep } from '@trimtab/kube/clock.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { namespaces, serviceAccounts } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { accessTo, startLocalCluster } from '@trimtab/local-cluster/local-cluster.ts';
import { simulatePods } from '@trimtab/test-bed/simulated-pods/pod-simulator.ts';
import { applyCrd } from '../../support/apply-crd.ts';
import { DrivenClock } from './driven-clock.ts';

/** A local cluster with simulated pods on one driven clock, without network connections. */
export class DrivenCluster implements AsyncDisposable {
  readonly clock: DrivenClock;
  readonly access: ClusterAccess & Required<Pick<ClusterAccess, 'connect'>>;
  readonly client: KubeClient;
  readonly #close: () => Promise<void>;
  #namespaces = 0;

  private constructor(parts: Pick<DrivenCluster, 'clock' | 'access' | 'client'>, close: () => Promise<void>) {
    this.clock = parts.clock;
    this.access = parts.access;
    this.client = parts.client;
    this.#close = close;
  }

  static async start(): Promise<DrivenCluster> {
    const clock = new DrivenClock();
    return clock.during(DrivenCluster.#start(clock));
  }

  static async #start(clock: DrivenClock): Promise<DrivenCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'trimtab-driven-'));
    const cluster = await startLocalCluster({
      stateDir: join(folder, 'state'),
      port: 0,
      log: silentLogger,
      clock,
      inProcess: true,
      inMemory: true,
    });
    const access = { ...accessTo(cluster), connect: cluster.connect };
    const client = httpClient({ access, log: silentLogger, clock });
    await applyCrd(client);
    const pods = await simulatePods(client, clock);
    return new DrivenCluster({ clock, access, client }, async () => {
      await pods.close();
      client.close();
      await cluster.close(0);
      await rm(folder, { recursive: true, force: true });
    });
  }

  /** Creates a namespace and waits for its default ServiceAccount. */
  async namespace(): Promise<string> {
    const name = `run-${++this.#namespaces}`;
    await this.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (;;) {
      const account = { namespace: name, name: 'default' };
      const isThere = await this.client.get(serviceAccounts, account).then(
        () => true,
        (error: unknown) => {
          if (!isNotFound(error)) throw error;
          return false;
        },
      );
      if (isThere) return name;
      await sleep(this.clock, 10);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clock.during(this.#close());
  }
}
