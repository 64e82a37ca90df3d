import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BenchProcess, figuresOf } from './bench-process.ts';
import type { BenchContext } from './row.ts';

/** The programs of the sketch: the minimum work for an edit, for the metadata of a large cluster, and for a revert. */
type Sketch = 'sketch-process' | 'sketch-cache-process' | 'sketch-revert-process';

/** Starts a sketch as a separate process, like the controller. Resolves when its watches are open. */
export async function startSketch(
  sketch: Sketch,
  { bed, namespace, signal }: BenchContext,
): Promise<BenchProcess> {
  const began = performance.now();
  const child = spawn(process.execPath, [path.join(import.meta.dirname, `${sketch}.ts`), namespace], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Without the compile cache, the process would also pay for stripping the types.
    env: { ...process.env, TRIMTAB_BED: bed, NODE_COMPILE_CACHE: path.join(tmpdir(), 'node-compile-cache') },
    signal,
  });
  const closed = once(child, 'close');
  await Promise.race([
    once(child.stdout, 'data'),
    closed.then(() => Promise.reject(new Error('the sketch exited before its watch was open'))),
  ]);
  return {
    readySeconds: (performance.now() - began) / 1000,
    ...figuresOf(child.pid),
    async stop() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}
