import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resultsIn, summary } from './tally.ts';

/**
 * Summary of the contract at the end of a run. If TRIMTAB_REPORTS names a folder, the report of the run is copied to
 * it, for `node tools/contract.ts` to compare the engines after both have run.
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
