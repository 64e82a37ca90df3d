import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resultsIn, summary } from './tally.ts';

/**
 * What a run says about the contract at its end. Where TRIMTAB_REPORTS names a folder, the run's report stays there,
 * so that `node tools/contract.ts` can compare the engines when both have run.
 */
export function contractLines(report: string, keepAs: string): string[] {
  if (!existsSync(report)) return [];
  const folder = process.env['TRIMTAB_REPORTS'];
  if (folder !== undefined && folder !== '') {
    mkdirSync(folder, { recursive: true });
    copyFileSync(report, path.join(folder, keepAs));
  }
  return summary(resultsIn(readFileSync(report, 'utf8')));
}
