import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { BenchError } from './bench-error.ts';
import { type BenchProcess, figuresOf } from './bench-process.ts';
import { edit } from './managed-deployments.ts';
import type { BenchContext } from './row.ts';
import type { Templates } from './templates.ts';

/** Opts a Deployment in to Reloader with all configs that its template references. */
export const reloaderAnnotations = { 'reloader.stakater.com/auto': 'true' };

const readyMs = 60_000;

/** Returns the path that RELOADER_BIN contains. Throws a BenchError unless it is an executable file. */
export async function reloaderBinary(value: string | undefined): Promise<string | undefined> {
  if (value === undefined || value === '') return undefined;
  const file = path.resolve(value);
  try {
    await access(file, constants.X_OK);
    if (!(await stat(file)).isFile()) throw new Error('not a file');
  } catch {
    throw new BenchError(
      `RELOADER_BIN names ${value}, which is not an executable file; set it to the binary of Reloader, or unset it`,
    );
  }
  return file;
}

/**
 * Starts Reloader for the namespace of the context. It has no sign of being ready that all its versions share, so it is
 * ready when an edit of `app-0` changes the template.
 */
export async function startReloader(
  binary: string,
  context: BenchContext,
  templates: Templates,
): Promise<BenchProcess> {
  const { kubeconfig } = await readBed(context.bed);
  const began = performance.now();
  const child = spawn(binary, ['--reload-strategy=env-vars'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, KUBECONFIG: kubeconfig, KUBERNETES_NAMESPACE: context.namespace },
    signal: context.signal,
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-2_000);
    });
  const closed = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await closed;
  };
  const failed = closed.then(() => {
    throw new BenchError(`Reloader exited before it was ready; the end of its log:\n${log}`);
  });
  try {
    await Promise.race([untilReloads(context, templates), failed]);
  } catch (error) {
    await stop();
    throw error;
  }
  failed.catch(() => {});
  return { readySeconds: (performance.now() - began) / 1000, ...figuresOf(child.pid), stop };
}

async function untilReloads(context: BenchContext, templates: Templates): Promise<void> {
  let reloaded = false;
  const changed = templates.changed('app-0', templates.of('app-0')).then(() => {
    reloaded = true;
  });
  const deadline = performance.now() + readyMs;
  for (let n = 0; !reloaded; n++) {
    if (performance.now() > deadline)
      throw new BenchError(`Reloader changed no template within ${readyMs / 1000} s; check its version`);
    await edit(context, 'app-0', `ready ${n}`);
    await Promise.race([changed, delay(500)]);
  }
}
