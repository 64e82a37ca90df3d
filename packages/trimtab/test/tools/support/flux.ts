import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { toolCrds, toolPath } from '@trimtab/test-bed/tools/tool.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { FluxSource } from './flux-source.ts';

const kustomizations: Resource = {
  group: 'kustomize.toolkit.fluxcd.io',
  version: 'v1',
  plural: 'kustomizations',
  kind: 'Kustomization',
  namespaced: true,
};

/** The fields of a Kustomization that the tests set. */
export interface KustomizationSpec {
  wait?: boolean;
  healthChecks?: { apiVersion: string; kind: string; name: string; namespace: string }[];
  dependsOn?: { name: string }[];
  timeout?: string;
  retryInterval?: string;
  healthCheckExprs?: unknown[];
}

interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

export interface Kustomization extends KubeObject {
  spec: KustomizationSpec;
  status?: {
    conditions?: Condition[];
    lastAppliedRevision?: string;
    lastAttemptedRevision?: string;
    lastHandledReconcileAt?: string;
    inventory?: { entries: { id: string }[] };
  };
}

/** What one reconciliation has done with each object, as `KIND/NAME`. */
export type Applied = Map<string, 'created' | 'configured' | 'unchanged' | 'skipped'>;

/** How long Flux may need on a busy machine. A health check alone takes a multiple of five seconds. */
const timeoutMs = 120_000;

/**
 * The kustomize-controller of Flux, which watches the namespace of a test only, with the Kustomization `shop` and its
 * GitRepository. Reconciliations happen after commits and on request.
 */
export class Flux implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #where: { namespace: string; name: string };
  readonly #source: FluxSource;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #log: string[] = [];
  #requests = 0;
  #revision = '';
  /** The reconciliations so far that have applied all objects. */
  readonly applied: Applied[] = [];

  private constructor(
    client: KubeClient,
    where: { namespace: string; name: string },
    source: FluxSource,
    child: ChildProcess,
  ) {
    this.#client = client;
    this.#where = where;
    this.#source = source;
    this.#child = child;
    this.#ended = once(child, 'close');
    if (child.stderr !== null) createInterface(child.stderr).on('line', (line) => this.#read(line));
  }

  static async start(engine: Engine, namespace: string): Promise<Flux> {
    await installCrds(engine);
    const client = await engine.connect();
    const where = { namespace, name: 'shop' };
    const source = await FluxSource.open(client, where);
    const addresses = ['--metrics-addr=0', '--health-addr=0'];
    const child = spawn(
      toolPath('kustomize-controller'),
      ['--watch-all-namespaces=false', '--requeue-dependency=1s', ...addresses],
      {
        env: {
          PATH: process.env['PATH'],
          KUBECONFIG: await engine.kubeconfigOf(undefined),
          RUNTIME_NAMESPACE: namespace,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    return new Flux(client, where, source, child);
  }

  /** Publishes a commit with these objects, and no others, in the folder of the Kustomization. Does not wait for Flux. */
  async commits(...objects: KubeObject[]): Promise<void> {
    await this.publishes(filesIn(this.#where.name, objects));
  }

  /** Publishes a commit with these files, and no others. Does not wait for Flux. */
  async publishes(files: ReadonlyMap<string, string>): Promise<void> {
    this.#revision = await this.#source.publish(files);
  }

  /** Creates the Kustomization, or changes its settings. */
  async kustomization(spec: KustomizationSpec, name = this.#where.name): Promise<void> {
    const { namespace } = this.#where;
    const body: Kustomization = {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name, namespace },
      spec: {
        interval: '1h',
        timeout: '2m',
        prune: true,
        path: `./${name}`,
        targetNamespace: namespace,
        sourceRef: { kind: 'GitRepository', name: this.#where.name },
        ...spec,
      } as KustomizationSpec,
    };
    const patch = { type: 'apply', body, force: true } as const;
    await this.#client.patch(kustomizations, { name, namespace }, patch, { fieldManager: 'flux-cli' });
  }

  /** Waits until Flux has reconciled the newest commit, with success or not. Returns the condition Ready. */
  reconciled(name = this.#where.name): Promise<Condition> {
    const revision = this.#revision;
    return this.shows(
      'the commit is reconciled',
      ({ status }) => {
        const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
        // Flux writes conditions before the rest of the status.
        if (ready === 'True') return status?.lastAppliedRevision === revision;
        return ready === 'False' && status?.lastAttemptedRevision === revision;
      },
      name,
    );
  }

  /** Requests reconciliations as `flux reconcile kustomization` does, one after the other. Returns the last result. */
  async reconciles(times = 1): Promise<Condition> {
    for (let left = times; left > 1; left--) await this.#reconcile();
    return this.#reconcile();
  }

  /** Requests a reconciliation without waiting for it. */
  async requests(): Promise<string> {
    const token = `${++this.#requests}`;
    const body = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': token } } };
    await this.#client.patch(kustomizations, this.#where, { type: 'merge', body });
    return token;
  }

  async #reconcile(): Promise<Condition> {
    const token = await this.requests();
    return this.shows(
      `the reconciliation ${token} is over`,
      ({ status }) => status?.lastHandledReconcileAt === token && isOver(status.conditions),
    );
  }

  /** Waits until the Kustomization meets the condition. Returns its condition Ready. */
  async shows(
    what: string,
    condition: (kustomization: Kustomization) => boolean,
    name = this.#where.name,
  ): Promise<Condition> {
    return waitFor(
      what,
      async () => {
        if (this.#child.exitCode !== null) throw new Error(`Flux has ended: ${this.#log.join('\n')}`);
        const found = await this.read(name);
        const ready = found.status?.conditions?.find(({ type }) => type === 'Ready');
        if (ready !== undefined && condition(found)) return { met: ready };
        return { seen: `${ready?.status} ${ready?.reason}: ${ready?.message}` };
      },
      { timeoutMs, scene: async () => `The end of the log of Flux:\n${this.#log.slice(-20).join('\n')}` },
    );
  }

  read(name = this.#where.name): Promise<Kustomization> {
    const { namespace } = this.#where;
    return this.#client.get<Kustomization>(kustomizations, { namespace, name });
  }

  /** The objects that pruning would delete, as `KIND/NAME`. */
  async inventory(): Promise<string[]> {
    const { status } = await this.read();
    return (status?.inventory?.entries ?? []).map(({ id }) => {
      const [, name, , kind] = id.split('_');
      return `${kind}/${name}`;
    });
  }

  /** Deletes the Kustomization. Flux then prunes its objects. */
  deletes(): Promise<void> {
    return this.#client.delete(kustomizations, this.#where);
  }

  #read(line: string): void {
    this.#log.push(line);
    if (!line.startsWith('{')) return;
    const { msg, output } = JSON.parse(line) as { msg: string; output?: Record<string, string> };
    if (msg !== 'server-side apply completed' || output === undefined) return;
    // A key is KIND/NAMESPACE/NAME.
    const results = Object.entries(output).map(([key, action]) => [key.replace(/\/.*\//, '/'), action]);
    this.applied.push(new Map(results as [string, 'unchanged'][]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
    await this.#source[Symbol.asyncDispose]();
  }
}

/** The files of objects by path. Flux reads YAML files only. */
export function filesIn(folder: string, objects: readonly KubeObject[]): Map<string, string> {
  const path = ({ kind, metadata }: KubeObject) => `${folder}/${kind}-${metadata.name}.yaml`.toLowerCase();
  return new Map(objects.map((object) => [path(object), JSON.stringify(object)]));
}

/** Flux has finished a reconciliation, and does not run another. */
function isOver(conditions: readonly Condition[] | undefined): boolean {
  const ready = conditions?.find(({ type }) => type === 'Ready');
  return ready !== undefined && ready.status !== 'Unknown';
}

async function installCrds(engine: Engine): Promise<void> {
  const crds = toolCrds('kustomize-controller');
  const applied = await kubectl(engine, ['apply', '--server-side', '--force-conflicts', '-f', crds]);
  if (applied.code !== 0) throw new Error(applied.stderr);
  const wait = ['wait', '--for=condition=Established', '--timeout=30s', '-f', crds];
  const established = await kubectl(engine, wait, { timeoutMs: 60_000 });
  if (established.code !== 0) throw new Error(established.stderr);
}
