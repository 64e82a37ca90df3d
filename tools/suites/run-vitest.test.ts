import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runVitest } from './run-vitest.ts';

/** A minimal project. Each test writes its test files, and a real vitest runs them. */
let root: string;
let printed: string[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'trimtab-runner-')));
  symlinkSync(join(import.meta.dirname, '..', '..', 'node_modules'), join(root, 'node_modules'));
  writeFileSync(
    join(root, 'vitest.config.ts'),
    `export default { test: { projects: [{ test: { name: 'small', include: ['*.test.ts'] } }] } };`,
  );
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

function testFile(name: string, ...lines: string[]): void {
  const head = `import { test } from 'vitest'; import { existsSync, writeFileSync } from 'node:fs';`;
  writeFileSync(join(root, `${name}.test.ts`), [head, ...lines].join('\n'));
}

/** Throws on its first run in this folder. */
const failsOnce = (mark: string) =>
  `if (!existsSync('${mark}')) { writeFileSync('${mark}', ''); throw new Error('the first time'); }`;

const run = (...args: string[]) => {
  const folder = join(root, 'reports');
  mkdirSync(folder);
  return runVitest({ root, projects: ['small'], args, folder, quiet: true });
};

test('what fails is run once more alone: what passes then is flaky, what fails again has failed', async () => {
  testFile('calm', `test('always', () => {});`);
  testFile('moody', `test('sometimes', () => { ${failsOnce('test')} });`, `test('beside it', () => {});`);
  testFile('bad', `test('never', () => { throw new Error('always'); });`, `test('beside it', () => {});`);
  testFile('moody-file', failsOnce('file'), `test('in it', () => {});`);
  testFile('bad-file', `throw new Error('always');`, `test('in it', () => {});`);
  const outcome = await run();
  expect(outcome).toMatchObject({ passed: 5, failed: 1, broken: true });
  expect(outcome.flaky.toSorted()).toEqual(['moody-file.test.ts', 'moody.test.ts > sometimes']);
  expect(printed).toContain(' FLAKY  moody.test.ts > sometimes');
  const report = JSON.parse(readFileSync(outcome.report, 'utf8'));
  expect(report).toMatchObject({ numPassedTests: 5, numFailedTests: 1 });
});

test('an error outside of any test is a failure, even when what failed beside it passes alone', async () => {
  testFile('moody', `test('sometimes', () => { ${failsOnce('mark')} });`);
  testFile('stray', `test('calm', async () => {`, `Promise.reject(new Error('nobody waits for me'));`, '});');
  expect(await run()).toMatchObject({ passed: 2, failed: 0, broken: true });
});

test('a run that somebody narrowed is not repeated', async () => {
  testFile('moody', `test('sometimes', () => { ${failsOnce('mark')} });`);
  expect(await run('moody')).toMatchObject({ passed: 0, failed: 1, flaky: [] });
});
