import { BedError } from '@trimtab/test-bed/cluster/terminal/bed-error.ts';
import { terminalProgress } from '@trimtab/test-bed/cluster/terminal/progress.ts';
import { toolArguments } from '@trimtab/test-bed/tool-arguments.ts';
import { runConformance } from './run.ts';
import { lists } from './specs.ts';
import { conformanceCounts, reportLines } from './table.ts';

const help = `Usage: npm run conformance [-- --quick]

Runs Kubernetes' own specs against local API servers and compares the results with test/conformance/specs.ts. Builds the
specs first when they are not cached (about 3 minutes on 2 cores). Runs each failed spec once more, alone, at the end.

  --quick     Skip the specs that take a minute or more each, as CI does
  -h, --help  Print this text
`;

const { values } = toolArguments({ help, options: { quick: { type: 'boolean' } } });

async function main(): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const run = await runConformance(lists, values.quick ? 'quick' : 'all', terminalProgress(), stop.signal);
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
