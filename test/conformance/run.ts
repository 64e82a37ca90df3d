import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binarySet, endToEndSet } from '../cluster/build/binaries.ts';
import { ensureBinaries } from '../cluster/build/build.ts';
import type { Progress } from '../cluster/terminal/progress.ts';
import { failuresOutsideOfSpecs, type Outcome, readGinkgoReport } from './ginkgo-report.ts';
import { judge, type Lists, type Row } from './judge.ts';
import { runSpecs } from './run-specs.ts';
import { shards } from './shards.ts';

export interface ConformanceRun {
  rows: Row[];
  /** What failed outside of any spec. */
  broken: string[];
}

/** Runs the listed specs of Kubernetes on local clusters, several at once since most of them wait most of the time. */
export async function runConformance(
  lists: Lists,
  progress: Progress,
  signal: AbortSignal,
): Promise<ConformanceRun> {
  const tools = binarySet();
  const tests = endToEndSet();
  await ensureBinaries(tools, progress);
  await ensureBinaries(tests, progress);
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-conformance-'));
  try {
    const runs = await Promise.allSettled(
      shards(lists).map(async (shard, index) => {
        const own = join(folder, `${index + 1}`);
        mkdirSync(own);
        const report = await runSpecs({
          program: join(tests.folder, 'e2e.test'),
          kubectl: join(tools.folder, 'kubectl'),
          shard,
          folder: own,
          signal,
        });
        progress.step(`ran ${shard.names.length} of the specs`);
        return report;
      }),
    );
    const reports = runs.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const known = new Map<string, Outcome | undefined>();
    for (const report of reports)
      for (const [name, outcome] of readGinkgoReport(report)) known.set(name, known.get(name) ?? outcome);
    const lost = runs.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    return { rows: judge(lists, known), broken: [...lost, ...reports.flatMap(failuresOutsideOfSpecs)] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
