import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { BenchContext } from './row.ts';

/** Starts sketch-process.ts as a separate process, like the controller. Resolves when its watch is open. */
export async function startSketch(
  { bed, signal }: BenchContext,
  namespace: string,
): Promise<{ stop(): Promise<void> }> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'sketch-process.ts'), namespace], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TRIMTAB_BED: bed },
    signal,
  });
  const closed = once(child, 'close');
  await Promise.race([
    once(child.stdout, 'data'),
    closed.then(() => Promise.reject(new Error('the sketch exited before its watch was open'))),
  ]);
  return {
    async stop() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}
