import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chooseKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { exitWithHelpIfAsked } from '@trimtab/test-bed/tool-arguments.ts';
import { contractLines } from '../packages/local-cluster/test/contract/api/after-run.ts';
import { findViolations } from './arrows.ts';
import { localLines } from './suites/left-out-lines.ts';
import { leftToCi, quickVariable } from './suites/left-to-ci.ts';
import { runVitest } from './suites/run-vitest.ts';

const help = `Usage: npm test [-- flags and file filters of vitest]

Runs the checks (types, style, import rules, dead code, generated files), then the fast tests: the tests that need no cluster,
and on the local cluster the tests that need any cluster. Failed test files are run once more at the end, one at a time;
tests that pass then are listed as flaky. The files that take longest are left to CI, unless --all or a filter is given.

  --all          run the long test files, too, as CI does
  --checks-only  run no tests (npm run check)
  --coverage     collect coverage
  -h, --help     print this text

Examples
  npm test
  npm test -- packages/trimtab/test/stories/undo
  npm test -- packages/kube
`;

exitWithHelpIfAsked(help);
const root = path.dirname(import.meta.dirname);
const checksOnly = process.argv.includes('--checks-only');
const tally = { passed: 0, failed: 0 };

await check('types', () => node('node_modules/typescript/bin/tsc', '-p', '.'));
await check('style', () =>
  node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
);
await check('import rules', arrows);
await check('dead code', () => node('node_modules/knip/bin/knip.js'));
await check('generated files', () => node('tools/generate.ts', '--check'));
if (!checksOnly) await fastTests();
process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`);
process.exitCode = tally.failed === 0 ? 0 : 1;

async function check(name: string, run: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  const ok = await run();
  tally[ok ? 'passed' : 'failed'] += 1;
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name} (${seconds(began)})\n`);
}

async function arrows(): Promise<boolean> {
  const violations = findViolations(
    root,
    globSync('{packages,demo}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] }),
  );
  for (const { file, line, imports, because } of violations) {
    process.stdout.write(`${file}:${line} imports ${imports}: ${because}\n`);
  }
  return violations.length === 0;
}

async function fastTests(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'trimtab-test-'));
  const kubectl = chooseKubectl();
  const args = process.argv.slice(2).filter((argument) => argument !== '--all');
  const isQuick = !process.argv.includes('--all') && args.every((argument) => argument.startsWith('-'));
  try {
    const { passed, failed, broken, report } = await runVitest({
      projects: ['unit', 'local', ...(isQuick ? [] : ['local-by-admission'])],
      args,
      // Chosen once, because otherwise each test file runs every kubectl on the PATH to get its version.
      env: {
        TRIMTAB_KUBECTL: 'file' in kubectl ? kubectl.file : '',
        ...(isQuick && { [quickVariable]: 'true' }),
      },
      folder,
    });
    for (const line of [...contractLines(report, 'unit.json'), ...localLines(report)])
      process.stdout.write(`${line}\n`);
    process.stdout.write(
      'file' in kubectl
        ? `kubectl: ${kubectl.file}\n`
        : `kubectl: tests with kubectl were skipped: ${kubectl.because}; \`npm run cluster -- build\` builds kubectl\n`,
    );
    if (isQuick)
      process.stdout.write(
        `${leftToCi.length} long test files were left to CI; \`npm test -- --all\` runs them, too\n`,
      );
    tally.passed += passed;
    // A failure outside of a test is not in the count of failed tests.
    tally.failed += failed + (broken ? 1 : 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function node(...args: string[]): Promise<boolean> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code === 0));
  });
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
