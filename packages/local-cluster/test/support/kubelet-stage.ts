import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@trimtab/kube/clock.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { events, pods } from '@trimtab/kube/resource.ts';
import { createMaterial } from '@trimtab/kube/tls/material.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { type Observation, waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { waitForState } from '@trimtab/test-bed/watching/wait-for-state.ts';
import { type Kubelet, type KubeletOptions, startKubelet } from '../../src/kubelet/kubelet.ts';
import type { LogOptions } from '../../src/kubelet/server/container-access.ts';
import { type SetupOptions, setUpContainers } from '../../src/kubelet/set-up-containers.ts';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../src/objects/pod.ts';
import { plainSetup } from './plain-setup.ts';

export const nodeName = 'test-node';

/** A shell script as a container. */
export function script(text: string, more: Partial<Container> = {}): Container {
  return { name: 'app', image: 'busybox', command: ['sh', '-c', text], ...more };
}

/** A local API server and a kubelet for one test. There is no scheduler, so pods are created with the node's name. */
export class KubeletStage {
  readonly local: LocalServer;
  stateDir: string;
  kubelet: Kubelet;
  readonly #options: Partial<KubeletOptions>;

  private constructor(local: LocalServer, stateDir: string, options: Partial<KubeletOptions>) {
    this.local = local;
    this.stateDir = stateDir;
    this.#options = options;
    this.kubelet = this.#start();
  }

  /** `mounted` adds real environments, volumes and mounts. */
  static async open(
    options: Partial<KubeletOptions> = {},
    mounted?: Pick<SetupOptions, 'mounts' | 'programs'>,
  ): Promise<KubeletStage> {
    const local = await startLocalServer();
    // No controller runs that would create the service account of the namespace.
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await local.client.raw({ method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts', body });
    const stateDir = await mkdtemp(join(tmpdir(), 'trimtab-kubelet-'));
    const common = { client: local.client, clock: systemClock, log: silentLogger, folder: stateDir };
    const setup = mounted && (await setUpContainers({ ...common, refreshMs: 100, ...mounted }));
    const stage = new KubeletStage(local, stateDir, { ...options, ...(setup && { setup }) });
    await stage.kubelet.ready;
    return stage;
  }

  #start(more: Partial<KubeletOptions> = {}): Kubelet {
    const { server } = this.local;
    const certificate = server.certificateOfServer(nodeName, ['127.0.0.1']);
    return startKubelet({
      client: this.local.client,
      serving: createMaterial({ ...certificate, clientAuthority: server.authority }),
      log: silentLogger,
      stateDir: this.stateDir,
      nodeName,
      setup: plainSetup(),
      backOff: { baseMs: 50, maxMs: 1_000 },
      ...this.#options,
      ...more,
    });
  }

  /** The next kubelet continues with the state that another one left in this folder. */
  useStateDir(stateDir: string): void {
    this.stateDir = stateDir;
  }

  /** `more` overrides options until the next restart. */
  async restart(more: Partial<KubeletOptions> = {}): Promise<void> {
    await this.kubelet.close();
    this.kubelet = this.#start(more);
    await this.kubelet.ready;
  }

  async close(): Promise<void> {
    await this.kubelet.close(0);
    await this.#options.setup?.close();
    await this.local.close();
    await rm(this.stateDir, { recursive: true, force: true });
  }

  /** Creates a pod and returns its name. */
  async run(spec: Partial<PodSpec> & { containers: Container[] }): Promise<string> {
    const name = `p-${randomBytes(4).toString('hex')}`;
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name },
      spec: { nodeName, automountServiceAccountToken: false, ...spec },
    };
    await this.local.client.create(pods, pod);
    return name;
  }

  pod(name: string): Promise<Pod> {
    return this.local.client.get<Pod>(pods, { namespace: 'default', name });
  }

  /** Waits until a pod satisfies the predicate, even if only briefly, and returns it. */
  until(name: string, what: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
    const judge = (pod: Pod | undefined): Observation<Pod> => {
      // The pod has no container statuses before the kubelet has observed it.
      const isSeen = pod?.status?.containerStatuses !== undefined;
      return isSeen && isSo(pod) ? { met: pod } : { seen: JSON.stringify(pod?.status) };
    };
    const where = { namespace: 'default', name };
    return waitForState(`pod ${name} ${what}`, this.local.client, pods, where, judge, { timeoutMs: 30_000 });
  }

  untilPhase(name: string, phase: string): Promise<Pod> {
    return this.until(name, `is ${phase}`, ({ status }) => status?.phase === phase);
  }

  untilReady(name: string): Promise<Pod> {
    return this.until(name, 'is Ready', ({ status }) =>
      Boolean(status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True')),
    );
  }

  delete(name: string, gracePeriodSeconds?: number): Promise<void> {
    return this.local.client.delete(
      pods,
      { namespace: 'default', name },
      gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds },
    );
  }

  untilGone(name: string): Promise<void> {
    return waitFor(`pod ${name} is gone`, async () => {
      try {
        return { seen: JSON.stringify((await this.pod(name)).status) };
      } catch (error) {
        if (isNotFound(error)) return { met: undefined };
        throw error;
      }
    });
  }

  async events(name: string): Promise<string[]> {
    const { items } = await this.local.client.list<KubeObject & CoreEvent>(events, { namespace: 'default' });
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ reason, message }) => `${reason}: ${message}`);
  }

  untilEvent(name: string, text: string): Promise<string[]> {
    return waitFor(`an event '${text}' of ${name}`, async () => {
      const found = await this.events(name);
      return found.some((each) => each.includes(text)) ? { met: found } : { seen: found.join(' | ') };
    });
  }

  async log(name: string, options: Partial<LogOptions> = {}, container = 'app'): Promise<string> {
    const pieces: Uint8Array[] = [];
    const where = { namespace: 'default', pod: name, container };
    const all = { follow: false, previous: false, timestamps: false, ...options };
    for await (const piece of this.kubelet.containers.logs(where, all, new AbortController().signal))
      pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }
}

interface CoreEvent {
  involvedObject: { name: string };
  reason: string;
  message: string;
}

export function containerOf({ status }: Pod, name = 'app'): ContainerStatus {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`pod status has no container ${name}`);
  return found;
}

/** Live processes whose command line or environment contains the text, such as the mark of a container. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const [stat, command, environment] = await Promise.all(
      ['stat', 'cmdline', 'environ'].map((file) =>
        readFile(`/proc/${entry}/${file}`, 'latin1').catch(() => ''),
      ),
    );
    // Z is a zombie: the process has ended but has not been reaped.
    if (stat === '' || /\) Z /.test(stat ?? '')) continue;
    if (command?.includes(text) || environment?.includes(text)) found.push(Number(entry));
  }
  return found;
}
