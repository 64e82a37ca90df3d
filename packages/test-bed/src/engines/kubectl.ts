import { spawn } from 'node:child_process';
import type { Engine } from './engine.ts';

export interface KubectlOptions {
  stdin?: string;
  namespace?: string;
  /** Kubeconfig of another identity, see `Engine.kubeconfigOf`. */
  kubeconfig?: string;
  /** Added to the environment of this process, for example KUBE_EDITOR. */
  env?: Record<string, string>;
  /** The program is killed after this time. Defaults to 30 s. */
  timeoutMs?: number;
}

export interface KubectlResult {
  stdout: string;
  stderr: string;
  /** null when the program was killed after a timeout. */
  code: number | null;
}

type Cluster = Pick<Engine, 'kubectl' | 'kubeconfig'>;

/** Runs kubectl until it exits. A non-zero exit code does not throw. */
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
  /** The standard output so far. */
  stdout(): string;
  stop(): void;
}

/** Starts a command that keeps running, such as `get --watch`. The caller must stop it. */
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
  // kubectl may exit before it has read all of its input. Its exit code reports the failure.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const ended = new Promise<KubectlResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...output, code }));
  });
  return { ended, stdout: () => output.stdout, stop: () => child.kill('SIGKILL') };
}
