import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { faultsOnBoth } from './packages/trimtab/test/faults/fault-runs.ts';
import { filesLeftOut } from './tools/suites/left-out.ts';
import { leftToCi, quickVariable } from './tools/suites/left-to-ci.ts';
import { LongestFirst } from './tools/suites/longest-first.ts';

/** Test files that `npm test` does not run. */
const left = process.env[quickVariable] === undefined ? [] : leftToCi;

/**
 * The suffix of a test file says what it needs: nothing, any cluster (`cluster`: it runs on both engines), real Kubernetes
 * (`kubernetes`), real containers (`containers`), or a cluster and the machine for itself (`faults`). A timeout is there to end
 * what hangs: it has to hold on a machine that does five other things.
 */
const files = (needs: string) => `{packages,demo,bench,tools}/**/*.${needs}.test.ts`;

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
    isolate: !['unit', 'kubernetes', 'by-admission'].includes(name),
    // Vitest would leave one core to itself; these wait for processes and timers more than they compute.
    // No engine, whatever the shell has chosen: the areas of the contract are only counted there.
    ...(name === 'unit' && { maxWorkers: 4, env: { TRIMTAB_ENGINE: '' } }),
  },
});

/** The stories run in both ways of referencing configs; see test/support/reference-ways.ts. */
const stories = 'packages/trimtab/test/stories/**/*.cluster.test.ts';
/** So do the stories of other tools, on real Kubernetes. */
const toolStories = 'packages/trimtab/test/tools/**/*.kubernetes.test.ts';
const byAdmission = ({ test }: ReturnType<typeof onKubernetes>) => ({
  test: { ...test, env: { ...test.env, STORIES_REFERENCES: 'admission' } },
});

const withSetup = ({ test }: ReturnType<typeof project>, setupFile: string) => ({
  test: { ...test, setupFiles: [setupFile] },
});

const onKubernetes = ({ test }: ReturnType<typeof project>) => ({
  test: { ...test, env: { TRIMTAB_ENGINE: 'kubernetes' } },
});

const onLocal = ({ test }: ReturnType<typeof project>) => ({
  test: {
    ...test,
    isolate: false,
    // The compile cache saves a fifth of the time that a program of a test needs to start.
    env: { TRIMTAB_ENGINE: 'local', NODE_COMPILE_CACHE: path.join(tmpdir(), 'node-compile-cache') },
    setupFiles: ['tools/suites/on-local-setup.ts'],
    // Fault tests mostly wait for timeouts, so several run at a time, after all other tests. A file with all fault runs
    // starts ten controllers by itself. The other files use a quarter of a core each, because they wait for pods.
    ...(test.name === 'local-faults'
      ? { maxWorkers: 2, sequence: { groupOrder: 2 } }
      : { maxWorkers: 6, sequence: { groupOrder: 1 } }),
  },
});

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts', 'demo/**/*.ts'],
      exclude: ['**/*.test.ts', 'demo/test/**', 'packages/*/src/bin/**', 'packages/test-bed/**'],
      reporter: ['text-summary', 'json-summary'],
    },
    projects: [
      project(
        'unit',
        ['{packages,demo,bench,tools}/**/*.test.ts'],
        ['**/node_modules/**', files('{cluster,kubernetes,containers,faults}'), ...left],
      ),
      // On a local cluster in the process of the test. Each wait of a story has its own timeout, which reports what was
      // observed. Of the tests with real containers, those of the contract run on both engines.
      onLocal(
        project(
          'local',
          [files('cluster'), 'packages/local-cluster/test/contract/**/*.containers.test.ts'],
          [...filesLeftOut(), ...left],
          180_000,
        ),
      ),
      byAdmission(onLocal(project('local-by-admission', [stories], filesLeftOut(), 180_000))),
      onLocal(project('local-faults', faultsOnBoth, [], 600_000)),
      onKubernetes(project('kubernetes', [files('{cluster,kubernetes}')], [], 60_000)),
      byAdmission(onKubernetes(project('by-admission', [stories, toolStories], [], 60_000))),
      onKubernetes(project('containers', [files('containers')], [], 120_000)),
      // On a bed of its own: the fault tests need the whole machine.
      onKubernetes(project('faults', [files('faults')], [], 600_000)),
      // The part of the fault tests that CI runs.
      onKubernetes(
        withSetup(
          project('some-faults', [files('faults')], [], 600_000),
          'packages/trimtab/test/faults/setup-ci-share.ts',
        ),
      ),
    ],
  },
});
