import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { type ViewPlan, ViewProblem } from './plan-view.ts';
import type { MountTools } from './probe-mounts.ts';
import { writeViewFolder } from './view-folder.ts';

/** A mount namespace that lives as long as we hold it, or a process is in it. */
export interface View {
  /** Paths that open the namespaces, also for another process of ours. */
  namespaces: { mount: string; user?: string };
  close(): void;
}

const longestComplaint = 2_000;

/** Makes the view by a shell in a new namespace, takes hold of the namespace, and lets the shell go. */
export async function buildView(
  folder: string,
  plan: ViewPlan,
  tools: MountTools,
  signal?: AbortSignal,
): Promise<View> {
  const script = writeViewFolder(folder, plan);
  const userOptions = tools.user === undefined ? [] : ['--user', '--map-root-user'];
  const args = [...userOptions, '--mount', '--propagation', 'private', '--', 'sh', script];
  const shell = spawn(tools.unshare, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: tools.path, LC_ALL: 'C' },
    ...(signal !== undefined && { signal, killSignal: 'SIGKILL' as const }),
  });
  const ended = endOf(shell);
  const complaint = textOf(shell.stderr);
  try {
    await readiness(shell, ended, complaint);
    return hold(shell.pid ?? 0, tools);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    shell.stdin?.destroy();
    await ended;
  }
}

function hold(pid: number, tools: MountTools): View {
  const mount = openSync(`/proc/${pid}/ns/mnt`, 'r');
  const user = tools.user === undefined ? undefined : openSync(`/proc/${pid}/ns/user`, 'r');
  const pathOf = (descriptor: number) => `/proc/${process.pid}/fd/${descriptor}`;
  let isOpen = true;
  return {
    namespaces: { mount: pathOf(mount), ...(user !== undefined && { user: pathOf(user) }) },
    close() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(mount);
      if (user !== undefined) closeSync(user);
    },
  };
}

function readiness(shell: ChildProcess, ended: Promise<unknown>, complaint: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    shell.stdout?.on('data', (data: Buffer) => {
      if (data.toString().includes('ready')) resolve();
    });
    void ended.then((error) => {
      const [why = ''] = complaint().trim().split('\n');
      const text = why === '' ? String(error ?? 'the shell ended') : why;
      reject(new ViewProblem(`the container's view of the files cannot be made: ${text}`));
    });
  });
}

/** Resolves, never rejects: with the error when there is one. */
function endOf(shell: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    let failure: Error | undefined;
    shell.once('error', (error) => {
      failure = error;
      if (shell.pid === undefined) resolve(failure);
    });
    shell.once('close', () => resolve(failure));
  });
}

function textOf(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (data: Buffer) => {
    text = (text + data.toString()).slice(0, longestComplaint);
  });
  return () => text;
}
