import { readFileSync } from 'node:fs';
import { differences } from '../test/contract/api/differences.ts';
import { disagreements, resultsIn, summary } from '../test/contract/api/tally.ts';

/**
 * `node tools/contract.ts REPORT…`: reads vitest's JSON reports of both engines, tells how many cases of the contract
 * ran on each, and fails when one ran on one engine only and is not listed as a difference.
 */
const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('Usage: node tools/contract.ts REPORT…, with the JSON reports of npm test and test:cluster.');
  process.exit(2);
}
const results = files.flatMap((file) => resultsIn(readFileSync(file, 'utf8')));
for (const line of summary(results)) console.log(line);
const problems = disagreements(results, differences);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
