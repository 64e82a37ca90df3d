import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Projection } from '@trimtab/kube/client.ts';
import type { Budget } from '../budget.ts';
import type { CacheFigures } from '../cache-process.ts';
import type { BenchContext, Figure, Row } from '../row.ts';
import { seedConfigMaps } from '../seed-configs.ts';

const usualObjects = 10_000;
const bytesEach = 20_000;
const cacheProcess = fileURLToPath(new URL('../cache-process.ts', import.meta.url));

export const metadataCache: Row = {
  name: 'metadata-cache',
  what: 'memory and sync time of a metadata-only cache, compared with a cache of full objects',
  prepare: (context) => seedConfigMaps(context, context.count ?? usualObjects, bytesEach),
  async run(context) {
    const { count: objects = usualObjects, say } = context;
    say('metadata-cache: filling the caches');
    const [ours, peer] = await measureBoth(context, objects);
    const figure = (what: string, unit: string, of: keyof CacheFigures, budget?: Budget): Figure => ({
      what,
      unit,
      ours: ours[of],
      peer: peer[of],
      ...(budget === undefined ? {} : { budget }),
    });
    return {
      ours: 'metadata only',
      peer: 'full objects',
      how: `${objects} ConfigMaps of ${bytesEach / 1000} KB; a new process for each cache, with a warm compile cache; MB are 10^6 bytes; the budgets are those of the whole controller`,
      figures: [
        figure('start of the watch → in sync', 's', 'inSyncSeconds', { atMost: 10 }),
        figure('resident when in sync', 'MB', 'residentMb', { atMost: 110 }),
        figure('peak resident', 'MB', 'highestResidentMb'),
        figure('resident after garbage collection', 'MB', 'residentCollectedMb'),
        figure('heap after garbage collection', 'MB', 'heapCollectedMb'),
        figure('resident before the watch', 'MB', 'residentBeforeMb'),
      ],
    };
  },
};

/** Runs each cache in a separate process, one after the other, so that neither affects the memory of the other. */
async function measureBoth(context: BenchContext, objects: number): Promise<[CacheFigures, CacheFigures]> {
  const compiled = await mkdtemp(join(tmpdir(), 'trimtab-bench-'));
  const run = (projection: Projection) => inFreshProcess(context, projection, objects, compiled);
  try {
    // The first process strips types from the sources, which takes 35 MB; the others use the compile cache.
    await run('metadata');
    return [await run('metadata'), await run('full')];
  } finally {
    await rm(compiled, { recursive: true, force: true });
  }
}

async function inFreshProcess(
  { bed, namespace, signal }: BenchContext,
  projection: Projection,
  objects: number,
  compiled: string,
): Promise<CacheFigures> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--no-warnings', cacheProcess, projection, namespace, String(objects)],
    { env: { ...process.env, TRIMTAB_BED: bed, NODE_COMPILE_CACHE: compiled }, signal },
  );
  return JSON.parse(stdout);
}
