import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { role, roleBinding, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { installFor, uninstallFor } from '../../controller/installed-manifests.ts';
import { runTrimtab, type TrimtabResult } from './run-trimtab.ts';

/** A namespace with the admission policies and without a controller, in which commands of `trimtab` run. */
export class CommandScene {
  readonly engine: Engine;
  readonly namespace: string;
  readonly given: Given;
  /** Uses the administrator's credentials. */
  readonly client: KubeClient;
  readonly folder: string;

  private constructor(engine: Engine, namespace: string, client: KubeClient, folder: string) {
    this.engine = engine;
    this.namespace = namespace;
    this.given = new Given(client, namespace);
    this.client = client;
    this.folder = folder;
  }

  static async start(): Promise<CommandScene> {
    const engine = await currentEngine();
    const namespace = await engine.namespace();
    await installFor(engine, { namespace, webhook: false });
    const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-command-'));
    return new CommandScene(engine, namespace, await engine.connect(), folder);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await uninstallFor(this.engine, { namespace: this.namespace, webhook: false });
    await this.engine.close();
  }

  /** Runs `trimtab` in the namespace. */
  trimtab(...args: string[]): Promise<TrimtabResult> {
    return runTrimtab(this.engine, args, { namespace: this.namespace });
  }

  /** Creates a user with these rights, such as `get deployments.apps`, who runs `trimtab`. */
  async userWith(name: string, ...rights: string[]): Promise<(...args: string[]) => Promise<TrimtabResult>> {
    const rules = rights.flatMap((right) => {
      const [verb = '', ...resources] = right.split(' ');
      return role(name, [verb], ...resources).rules;
    });
    await this.given.objects(
      serviceAccount(name),
      { ...role(name, []), rules } as KubeObject,
      roleBinding(name, { serviceAccount: name }),
    );
    const kubeconfig = await this.engine.kubeconfigOf({ serviceAccount: name, namespace: this.namespace });
    return (...args) => runTrimtab(this.engine, args, { namespace: this.namespace, kubeconfig });
  }

  /** Writes a file and returns its path. */
  async file(name: string, content: string | Uint8Array): Promise<string> {
    const file = path.join(this.folder, name);
    await writeFile(file, content);
    return file;
  }

  object<T extends KubeObject>(resource: Resource, name: string): Promise<T> {
    return this.client.get<T>(resource, { namespace: this.namespace, name });
  }
}
