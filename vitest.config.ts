import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { faultsOnBoth } from './test/local/fault-runs.ts';
import { filesLeftOut, onBoth } from './test/local/left-out.ts';

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
    fileParallelism: name !== 'faults',
    // Files of one worker share its process and its modules: no test may leave anything behind in them.
    isolate: name !== 'unit',
    // Vitest would leave one core to itself; these wait for processes and timers more than they compute.
    ...(name === 'unit' && { maxWorkers: 3 }),
    // A fault run is an experiment in timing with real processes: one that fails is repeated once, which the report
    // shows. A defect fails twice; a run that needed its second try is still one to look into.
    retry: name === 'faults' ? 1 : 0,
  },
});

const onLocal = ({ test }: ReturnType<typeof project>, setupFile = 'test/local/setup.ts') => ({
  test: {
    ...test,
    isolate: false,
    // Each story starts a controller: with what was compiled before, in a fifth less time.
    env: { TRIMTAB_ENGINE: 'local', NODE_COMPILE_CACHE: path.join(tmpdir(), 'node-compile-cache') },
    setupFiles: [setupFile],
    // Most of their time is waiting for somebody to give up: several at a time, apart from the others. A file with
    // all its fault runs has ten controllers at work by itself.
    ...(test.name === 'local-faults'
      ? { maxWorkers: 2, sequence: { groupOrder: 2 } }
      : { maxWorkers: 5, sequence: { groupOrder: 1 } }),
  },
});

export default defineConfig({
  test: {
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
      // Of those, what `npm test` has time for.
      onLocal(project('some-local-faults', faultsOnBoth, [], 600_000), 'test/local/setup-some-faults.ts'),
      project('level1', ['test/**/*.level1.test.ts'], [], 60_000),
      // On a level 1 bed that nobody else uses: it takes the whole machine.
      project('faults', ['test/**/*.faults.test.ts'], [], 600_000),
      project('level2', ['test/**/*.level2.test.ts'], [], 120_000),
    ],
  },
});
