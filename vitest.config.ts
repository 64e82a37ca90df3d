import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { faultsOnBoth } from './test/local/fault-runs.ts';
import { filesLeftOut, onBoth } from './test/local/left-out.ts';
import { LongestFirst } from './test/runner/longest-first.ts';

/**
 * The suffix of a test file says what it needs: nothing, a control plane (level 1), real containers (level 2). A timeout
 * is there to end what hangs: it has to hold on a machine that does five other things.
 */
const project = (name: string, include: string[], exclude: string[] = [], timeoutMs = 30_000) => ({
  test: {
    name,
    include,
    exclude,
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    // One file of fault runs has several controllers at work: two files would be more than two cores can do.
    fileParallelism: name !== 'faults' && name !== 'some-faults',
    // Files of one worker share its process and its modules: no test may leave anything behind in them.
    isolate: name !== 'unit',
    // Vitest would leave one core to itself; these wait for processes and timers more than they compute.
    ...(name === 'unit' && { maxWorkers: 4 }),
  },
});

const withSetup = ({ test }: ReturnType<typeof project>, setupFile: string) => ({
  test: { ...test, setupFiles: [setupFile] },
});

const onLocal = ({ test }: ReturnType<typeof project>) => ({
  test: {
    ...test,
    isolate: false,
    // Each story starts a controller: with what was compiled before, in a fifth less time.
    env: { TRIMTAB_ENGINE: 'local', NODE_COMPILE_CACHE: path.join(tmpdir(), 'node-compile-cache') },
    setupFiles: ['test/local/setup.ts'],
    // Most of their time is waiting for somebody to give up: several at a time, apart from the others. A file with
    // all its fault runs has ten controllers at work by itself.
    ...(test.name === 'local-faults'
      ? { maxWorkers: 2, sequence: { groupOrder: 2 } }
      : { maxWorkers: 5, sequence: { groupOrder: 1 } }),
  },
});

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts', 'src/bin/**'],
      reporter: ['text-summary', 'json-summary'],
    },
    projects: [
      project('unit', ['{src,test,tools}/**/*.test.ts'], ['**/*.level?.test.ts', '**/*.faults.test.ts']),
      // The same files as below, on a local cluster in the test's own process.
      // A story is a chain of waits, each with an end of its own that tells what was seen.
      onLocal(project('local', onBoth, filesLeftOut(), 180_000)),
      onLocal(project('local-faults', faultsOnBoth, [], 600_000)),
      project('level1', ['test/**/*.level1.test.ts'], [], 60_000),
      // On a level 1 bed that nobody else uses: it takes the whole machine.
      project('faults', ['test/**/*.faults.test.ts'], [], 600_000),
      // Of those, what CI has.
      withSetup(
        project('some-faults', ['test/**/*.faults.test.ts'], [], 600_000),
        'test/e2e/faults/setup-ci-share.ts',
      ),
      project('level2', ['test/**/*.level2.test.ts'], [], 120_000),
    ],
  },
});
