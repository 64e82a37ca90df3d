import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exitWithHelpIfAsked } from '@trimtab/test-bed/tool-arguments.ts';
import { runVitest } from './run-vitest.ts';

const help = `Usage: npm run test:local-faults [-- flags and file filters of vitest]

Runs all fault runs on the local cluster. Failed test files are run once more at the end, one at a time; tests that pass then
are listed as flaky.

  -h, --help  print this text

Examples
  npm run test:local-faults
  npm run test:local-faults -- killed -t rolledBack
`;

const args = process.argv.slice(2);
exitWithHelpIfAsked(help, args);
const folder = mkdtempSync(path.join(tmpdir(), 'trimtab-test-'));
try {
  const { passed, failed, broken } = await runVitest({ projects: ['local-faults'], args, folder });
  const all = failed + (broken ? 1 : 0);
  console.log(`${passed} passed, ${all} failed`);
  process.exitCode = all === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
