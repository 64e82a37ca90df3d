import { readFileSync } from 'node:fs';
import { exitWithUsage, toolArguments } from '@trimtab/test-bed/tool-arguments.ts';
import { differences } from '../packages/local-cluster/test/contract/api/differences.ts';
import { disagreements, resultsIn, summary } from '../packages/local-cluster/test/contract/api/tally.ts';

const help = `Usage: npm run contract -- REPORT…

Compares the engines. Reads JSON reports of vitest, prints how many cases of the contract ran on each engine, and fails when
a case ran on one engine only and is not listed in packages/local-cluster/test/contract/api/differences.ts.

  -h, --help  print this text

Examples
  # Keep the reports in the folder of TRIMTAB_REPORTS
  export TRIMTAB_REPORTS=/tmp/reports
  npm test && npm run test:cluster -- --kubernetes
  npm run contract -- /tmp/reports/*.json
`;

const { positionals: files } = toolArguments({ help, allowPositionals: true });
if (files.length === 0) exitWithUsage(help, 'at least one REPORT is required');
const results = files.flatMap((file) => resultsIn(readFileSync(file, 'utf8')));
for (const line of summary(results)) console.log(line);
const problems = disagreements(results, differences);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
