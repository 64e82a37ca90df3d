import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import type { Address, Engine } from '@trimtab/test-bed/engines/engine.ts';
import type { ConfigMap } from '@trimtab/test-bed/objects/config-map.ts';
import { roleBinding, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { When } from '@trimtab/test-bed/story/when.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { parseAllDocuments } from 'yaml';
import { AgentProcess } from './agent-process.ts';

/** A namespace, a folder of this machine, and a service account with exactly the rights of `--print-role`. */
export class AgentScene implements AsyncDisposable {
  readonly namespace: string;
  readonly given: Given;
  readonly when: When;
  /** The folder for --configroot. */
  readonly root: string;
  /** A folder for other files of the test. */
  readonly scratch: string;
  readonly #engine: Engine;
  readonly #client: KubeClient;
  readonly #folder: string;

  private constructor(engine: Engine, client: KubeClient, namespace: string) {
    this.#engine = engine;
    this.#client = client;
    this.namespace = namespace;
    this.given = new Given(client, namespace);
    this.when = new When(engine, client, namespace);
    this.#folder = mkdtempSync(join(tmpdir(), 'agent-'));
    this.root = join(this.#folder, 'root');
    this.scratch = join(this.#folder, 'scratch');
    mkdirSync(this.scratch);
  }

  static async open(engine: Engine): Promise<AgentScene> {
    const scene = new AgentScene(engine, await engine.connect(), await engine.namespace());
    await scene.given.objects(
      serviceAccount('agent'),
      roleBinding('trimtab-agent', { serviceAccount: 'agent' }),
    );
    return scene;
  }

  /** Grants the rights that `trimtab-agent --print-role` prints for these flags. */
  async grantPrintedRole(...flags: string[]): Promise<void> {
    await using printer = new AgentProcess(['--namespace', this.namespace, ...flags, '--print-role']);
    if ((await printer.ended) !== 0) throw new Error(printer.log);
    for (const document of parseAllDocuments(printer.output)) await this.given.object(document.toJS());
  }

  /** Kubeconfig of the service account. */
  kubeconfig(at?: Address): Promise<string> {
    return this.#engine.kubeconfigOf({ serviceAccount: 'agent', namespace: this.namespace }, at);
  }

  /** Flags that every agent of this scene has. */
  async flags(at?: Address): Promise<string[]> {
    return [
      ...['--kubeconfig', await this.kubeconfig(at), '--namespace', this.namespace],
      ...['--configroot', this.root],
    ];
  }

  async edit(name: string, data: Record<string, string>): Promise<void> {
    const where = { namespace: this.namespace, name };
    const cleared = await this.#client.get<ConfigMap>(configMaps, where);
    const removed = Object.fromEntries(Object.keys(cleared.data ?? {}).map((key) => [key, null]));
    await this.#client.patch(configMaps, where, { type: 'merge', body: { data: { ...removed, ...data } } });
  }

  /** All files below the root by path, without the folders of the agent. */
  files(root = this.root): Record<string, string> {
    return visibleFiles(root);
  }

  async eventuallyFiles(expected: Record<string, string>, context = () => ''): Promise<void> {
    const wanted = JSON.stringify(sorted(expected));
    await waitFor(`the files are ${wanted.slice(0, 200)}`, async () => {
      const seen = JSON.stringify(sorted(this.files()));
      return seen === wanted ? { met: true } : { seen: `${seen.slice(0, 500)} ${context()}` };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What an application sees that opens every file it can list. A link that leads nowhere is no file. */
export function visibleFiles(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (folder: string) => {
    for (const name of list(folder)) {
      if (name.startsWith('..')) continue;
      const path = join(folder, name);
      try {
        found[relative(root, path)] = readFileSync(path, 'utf8');
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EISDIR') visit(path);
        else if (code !== 'ENOENT') throw error;
      }
    }
  };
  visit(root);
  return found;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function sorted(files: Record<string, string>): [string, string][] {
  return Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
}
