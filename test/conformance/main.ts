import { BedError } from '../cluster/terminal/bed-error.ts';
import { terminalProgress } from '../cluster/terminal/progress.ts';
import { runConformance } from './run.ts';
import { lists } from './specs.ts';
import { conformanceCounts, reportLines } from './table.ts';

/** `npm run conformance`: Kubernetes' own specs against the local API server. */
async function main(): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const run = await runConformance(lists, terminalProgress(), stop.signal);
  for (const line of reportLines(run)) console.log(line);
  const { passed, failed, broken } = conformanceCounts(run);
  const all = failed + (broken ? 1 : 0);
  console.log(`${passed} passed, ${all} failed`);
  return all === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BedError)) throw error;
  console.error(`conformance: ${error.message}`);
  for (const line of error.details) console.error(`  ${line}`);
  process.exitCode = 1;
}
