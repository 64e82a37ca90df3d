import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { toolPath } from '@trimtab/test-bed/tools/tool.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';

/** The settings of an Application, and how Argo CD compares. */
export interface ApplicationSettings {
  diff: 'classic' | 'server-side';
  /** The sync option ServerSideApply=true. */
  serverSideApply?: boolean;
  tracking?: 'annotation' | 'label';
  /** As in `spec.ignoreDifferences`. */
  ignoreDifferences?: unknown[];
}

interface Resource {
  kind: string;
  name: string;
  sync: 'Synced' | 'OutOfSync';
  health?: string;
  message?: string;
  differences?: unknown;
}

interface Operation {
  phase: string;
  message?: string;
  resources: { kind: string; name: string; status: string; message: string }[];
}

/** What an Application shows. */
export interface Report {
  sync: 'Synced' | 'OutOfSync';
  health: string;
  resources: Resource[];
  /** Objects without an owner that belong to no manifest, as KIND/NAME. */
  orphaned: string[];
  /** The sync that self-heal has started. */
  operation?: Operation;
}

/** The health check that is shipped. */
export const healthCheck = path.resolve(import.meta.dirname, '../../../../../deploy/argo-cd/health.lua');

/** An Application of Argo CD: a folder of manifests that the gitops-engine of Argo CD compares and syncs. */
export class ArgoCd implements AsyncDisposable {
  readonly #folder: string;
  readonly #flags: string[];

  private constructor(folder: string, flags: string[]) {
    this.#folder = folder;
    this.#flags = flags;
  }

  static async open(engine: Engine, namespace: string, settings: ApplicationSettings): Promise<ArgoCd> {
    const { diff, serverSideApply = false, tracking = 'annotation', ignoreDifferences } = settings;
    const folder = await mkdtemp(path.join(tmpdir(), 'argo-cd-'));
    const flags = [
      ...['--kubeconfig', await engine.kubeconfigOf(undefined)],
      ...['--namespace', namespace, '--manifests', folder, '--app', 'shop'],
      ...['--tracking', tracking, '--diff', diff, '--health-check', healthCheck],
      ...(serverSideApply ? ['--server-side-apply'] : []),
    ];
    if (ignoreDifferences !== undefined) {
      const file = path.join(folder, 'ignore-differences');
      await writeFile(file, JSON.stringify(ignoreDifferences));
      flags.push('--ignore-differences', file);
    }
    return new ArgoCd(folder, flags);
  }

  /** Replaces all manifests, as a commit does. */
  async commit(...objects: KubeObject[]): Promise<void> {
    const wanted = new Map(objects.map((object) => [`${object.kind}-${object.metadata.name}.json`, object]));
    for (const [file, object] of wanted)
      await writeFile(path.join(this.#folder, file), JSON.stringify(object));
    for (const file of await readdir(this.#folder))
      if (file.endsWith('.json') && !wanted.has(file)) await rm(path.join(this.#folder, file));
  }

  /** Syncs as often as requested. Throws when a sync fails. */
  async syncs(times = 1): Promise<Operation[]> {
    const operations = await this.#run<Operation>(['sync', '--times', String(times)]);
    const failed = operations.find(({ phase }) => phase !== 'Succeeded');
    if (failed !== undefined) throw new Error(`sync failed: ${JSON.stringify(failed)}`);
    return operations;
  }

  async compares(): Promise<Report> {
    const [report] = await this.#run<Report>(['compare']);
    if (report === undefined) throw new Error('no report');
    return report;
  }

  /** Compares and syncs what is out of sync, until the result is disposed. */
  selfHeals(): SelfHeal {
    return new SelfHeal(spawn(toolPath('gitops-engine'), ['self-heal', ...this.#flags]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  #run<T>([command = '', ...args]: string[]): Promise<T[]> {
    return runEngine([command, ...this.#flags, ...args]);
  }
}

/** The health of objects, as the shipped check and Argo CD's own see it. */
export async function healthOf(
  objects: readonly KubeObject[],
): Promise<{ status: string; message?: string }[]> {
  const args = ['health', '--health-check', healthCheck];
  const [results] = await runEngine<{ status: string; message?: string }[]>(args, JSON.stringify(objects));
  return results ?? [];
}

async function runEngine<T>(args: string[], stdin = ''): Promise<T[]> {
  const child = spawn(toolPath('gitops-engine'), args);
  const lines = linesOf(child);
  child.stdin.end(stdin);
  const { code, stderr } = await endOf(child);
  if (code !== 0) throw new Error(`gitops-engine ${args[0]} exited with code ${code}: ${stderr}`);
  return lines as T[];
}

/** Self-heal of an Application. */
export class SelfHeal implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #end: Promise<{ code: number | null; stderr: string }>;
  /** What each comparison has shown. */
  readonly rounds: readonly Report[];

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.rounds = linesOf(child) as Report[];
    this.#end = endOf(child);
  }

  /** Waits for a comparison that begins after this call. Returns it. */
  async shows(what: string, condition: (report: Report) => boolean): Promise<Report> {
    // The round that runs now may have begun before.
    const from = this.rounds.length + 1;
    return waitFor(what, async () => {
      const met = this.rounds.slice(from).find(condition);
      if (met !== undefined) return { met };
      if (this.#child.exitCode !== null) throw new Error((await this.#end).stderr);
      return { seen: describe(this.rounds.at(-1)) };
    });
  }

  async stops(): Promise<readonly Report[]> {
    this.#child.stdin.end();
    const { code, stderr } = await this.#end;
    if (code !== 0) throw new Error(`self-heal exited with code ${code}: ${stderr}`);
    return this.rounds;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    await this.#end;
  }
}

/** A report without what is as it should be. */
function describe(report: Report | undefined): string {
  if (report === undefined) return 'no comparison';
  const { sync, health, resources } = report;
  const odd = resources.filter((each) => each.sync !== 'Synced' || (each.health ?? 'Healthy') !== 'Healthy');
  return `${sync}, ${health}: ${JSON.stringify(odd)}`;
}

/** The lines of JSON that a program has printed so far. */
function linesOf(child: ChildProcessWithoutNullStreams): unknown[] {
  const lines: unknown[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  return lines;
}

async function endOf(
  child: ChildProcessWithoutNullStreams,
): Promise<{ code: number | null; stderr: string }> {
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // The program may end before it has read all of its input. Its exit code reports the failure.
  child.stdin.on('error', () => {});
  const [code] = await once(child, 'close');
  return { code, stderr };
}
