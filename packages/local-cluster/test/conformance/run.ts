import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binarySet, endToEndSet } from '@trimtab/test-bed/cluster/build/binaries.ts';
import { ensureBinaries } from '@trimtab/test-bed/cluster/build/build.ts';
import type { Progress } from '@trimtab/test-bed/cluster/terminal/progress.ts';
import type { Lists } from './judge.ts';
import { type ConformanceRun, runShards } from './run-shards.ts';
import { runSpecs } from './run-specs.ts';
import type { Share } from './shards.ts';

/** Runs the listed specs of Kubernetes on local clusters. */
export async function runConformance(
  lists: Lists,
  share: Share,
  progress: Progress,
  signal: AbortSignal,
): Promise<ConformanceRun> {
  const tools = binarySet();
  const tests = endToEndSet();
  await ensureBinaries(tools, progress);
  await ensureBinaries(tests, progress);
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-conformance-'));
  let clusters = 0;
  try {
    return await runShards(lists, share, async (shard) => {
      clusters += 1;
      const own = join(folder, `${clusters}`);
      mkdirSync(own);
      const report = await runSpecs({
        program: join(tests.folder, 'e2e.test'),
        kubectl: join(tools.folder, 'kubectl'),
        shard,
        folder: own,
        signal,
      });
      progress.step(`ran ${shard.names.length} specs`);
      return report;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
