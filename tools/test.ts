import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { contractLines } from '../test/contract/api/after-run.ts';
import { localLines } from '../test/local/after-run.ts';
import { findKubectl } from '../test/support/find-kubectl.ts';
import { findViolations } from './arrows.ts';

/** `npm test`: every check, then the fast tests; all of them run, so that one failure does not hide the next. */
const root = path.dirname(import.meta.dirname);
const checksOnly = process.argv.includes('--checks-only');
const tally = { passed: 0, failed: 0 };

await check('types', () => node('node_modules/typescript/bin/tsc', '-p', '.'));
await check('style', () =>
  node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
);
await check('arrows', arrows);
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
  const violations = findViolations(root, globSync('src/**/*.ts', { cwd: root }));
  for (const { file, line, imports, because } of violations) {
    process.stdout.write(`${file}:${line} imports ${imports}: ${because}\n`);
  }
  return violations.length === 0;
}

async function fastTests(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'trimtab-test-'));
  try {
    const file = path.join(folder, 'results.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const ok = await node(
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'unit',
      '--project',
      'local',
      '--project',
      'some-local-faults',
      ...reporters,
      ...process.argv.slice(2),
    );
    for (const line of [...contractLines(file, 'unit.json'), ...localLines(file)])
      process.stdout.write(`${line}\n`);
    process.stdout.write(`kubectl of the contract: ${findKubectl() ?? 'none, its cases were left out'}\n`);
    const results = JSON.parse(readFileSync(file, 'utf8'));
    tally.passed += results.numPassedTests;
    // A file that cannot be loaded fails the run without failing a test.
    tally.failed += Math.max(results.numFailedTests, ok ? 0 : 1);
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
