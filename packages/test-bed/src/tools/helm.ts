import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../engines/engine.ts';
import { type ToolName, toolPath } from './tool.ts';

export type HelmName = Extract<ToolName, `helm-${string}`>;

interface HelmOptions {
  namespace: string;
  /** Kubeconfig of another identity, see `Engine.kubeconfigOf`. */
  kubeconfig?: string;
  /** The program is killed after this time. Defaults to 150 s. */
  timeoutMs?: number;
}

export interface HelmResult {
  stdout: string;
  stderr: string;
  /** null when the program was killed after a timeout. */
  code: number | null;
}

/**
 * Runs Helm until it exits. A non-zero exit code does not throw. Its settings and caches are in an empty folder, so that
 * those of this machine have no effect.
 */
export async function helm(
  name: HelmName,
  engine: Pick<Engine, 'kubeconfig'>,
  args: readonly string[],
  { namespace, kubeconfig = engine.kubeconfig, timeoutMs = 150_000 }: HelmOptions,
): Promise<HelmResult> {
  const home = await mkdtemp(join(tmpdir(), 'helm-'));
  try {
    return await run(toolPath(name), ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args], {
      env: { PATH: process.env['PATH'], ...helmFolders(home) },
      timeoutMs,
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Variables with which Helm keeps its settings and caches in this folder. */
export function helmFolders(home: string): Record<string, string> {
  return {
    HOME: home,
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
  };
}

function run(
  file: string,
  args: readonly string[],
  { env, timeoutMs }: { env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<HelmResult> {
  // Helm names its field manager after the program, and is called `helm` wherever it is installed.
  const child = spawn(file, args, { argv0: 'helm', env, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  return new Promise<HelmResult>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ ...output, code }));
  }).finally(() => clearTimeout(timer));
}
