import type { ChildProcess } from 'node:child_process';

const running = new Set<number>();

/** Records a child that this process started, until it has ended. The runtime waits for it, and nothing else may. */
export function trackChild(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  running.add(pid);
  child.once('exit', () => running.delete(pid));
}

export function isOwnChild(pid: number): boolean {
  return running.has(pid);
}
