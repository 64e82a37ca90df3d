import { spawn } from 'node:child_process';
import type { Engine } from './engine.ts';

export interface KubectlOptions {
  stdin?: string;
  namespace?: string;
  /** Another identity's, see `Engine.kubeconfigOf`. */
  kubeconfig?: string;
  /** On top of our own environment: KUBE_EDITOR, say. */
  env?: Record<string, string>;
  /** The program is killed when it takes longer; 30 s unless told. */
  timeoutMs?: number;
}

export interface KubectlResult {
  stdout: string;
  stderr: string;
  /** null when it was killed because its time was over. */
  code: number | null;
}

type Cluster = Pick<Engine, 'kubectl' | 'kubeconfig'>;

/** Runs the real kubectl to its end. A failure is a result like any other. */
export function kubectl(
  engine: Cluster,
  args: string[],
  options: KubectlOptions = {},
): Promise<KubectlResult> {
  const running = startKubectl(engine, args, options);
  const timer = setTimeout(() => running.stop(), options.timeoutMs ?? 30_000);
  return running.ended.finally(() => clearTimeout(timer));
}

export interface RunningKubectl {
  ended: Promise<KubectlResult>;
  /** What it has printed so far. */
  stdout(): string;
  stop(): void;
}

/** For commands that go on, such as `get --watch`; whoever starts one stops it. */
export function startKubectl(engine: Cluster, args: string[], options: KubectlOptions = {}): RunningKubectl {
  const scope = options.namespace === undefined ? [] : ['--namespace', options.namespace];
  const config = ['--kubeconfig', options.kubeconfig ?? engine.kubeconfig];
  const child = spawn(engine.kubectl, [...config, ...scope, ...args], {
    stdio: 'pipe',
    env: { ...process.env, ...options.env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  // kubectl may end without having read all of it; its exit code tells the story.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const ended = new Promise<KubectlResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...output, code }));
  });
  return { ended, stdout: () => output.stdout, stop: () => child.kill('SIGKILL') };
}
