import { leftOut } from '../local/left-out.ts';
import type { Level } from './state/bed-state.ts';

/** Tests that run together on a bed of their own. */
export interface BedSuite {
  /** As people and the summary call it. */
  name: string;
  /** As vitest calls it. */
  project: string;
  level: Level;
  /** Only these files of the project; all unless told. */
  files?: readonly string[];
}

/** Kubernetes' own tests, which bring up local clusters for themselves. */
export interface ConformanceSuite {
  name: string;
  conformance: true;
}

export type Suite = BedSuite | ConformanceSuite;

/** In this order, and never two at a time: the fault runs need the machine for themselves. */
const suites: readonly Suite[] = [
  { name: 'level 1', project: 'level1', level: 1 },
  // Where kubectl was not there before, `npm test` had to leave these out.
  {
    name: 'kubectl on the local API server',
    project: 'unit',
    level: 1,
    files: ['test/contract/api/local/kubectl'],
  },
  {
    name: 'kubectl on the local cluster',
    project: 'local',
    level: 1,
    files: [
      ...new Set(leftOut.filter(({ needs }) => needs === 'kubectl').map(({ file }) => `${file}.level1`)),
    ],
  },
  { name: 'conformance', conformance: true },
  { name: 'faults', project: 'faults', level: 1 },
  { name: 'level 2', project: 'level2', level: 2 },
];

/** All suites, unless the first words name one: `--level 1`, `--level=2`, `--conformance` or `--faults`. The rest is for vitest. */
export function chooseSuites(argv: readonly string[]): { chosen: readonly Suite[]; vitestArgs: string[] } {
  const [first = '', second = ''] = argv;
  const takesTwo = first === '--level';
  const asked = takesTwo ? `level ${second}` : first.replace(/^--/, '').replace('=', ' ');
  const chosen = first.startsWith('--') ? suites.filter(({ name }) => name === asked) : [];
  if (chosen.length > 0) return { chosen, vitestArgs: argv.slice(takesTwo ? 2 : 1) };
  // Words for vitest say nothing to the others.
  const meant = argv.length === 0 ? suites : suites.filter((suite) => 'project' in suite);
  return { chosen: meant, vitestArgs: [...argv] };
}
