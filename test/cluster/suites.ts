import { leftOut } from '../local/left-out.ts';
import type { Level } from './state/bed-state.ts';

/** Tests that run together on a bed of their own. */
export interface Suite {
  /** As people and the summary call it. */
  name: string;
  /** As vitest calls it. */
  project: string;
  level: Level;
  /** Only these files of the project; all unless told. */
  files?: readonly string[];
}

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
  { name: 'faults', project: 'faults', level: 1 },
  { name: 'level 2', project: 'level2', level: 2 },
];

/** All suites, unless the first words name one: `--level 1`, `--level=2` or `--faults`. The rest is for vitest. */
export function chooseSuites(argv: readonly string[]): { chosen: readonly Suite[]; vitestArgs: string[] } {
  const [first = '', second = ''] = argv;
  const takesTwo = first === '--level';
  const asked = takesTwo ? `level ${second}` : first.replace(/^--/, '').replace('=', ' ');
  const chosen = first.startsWith('--') ? suites.filter(({ name }) => name === asked) : [];
  if (chosen.length === 0) return { chosen: suites, vitestArgs: [...argv] };
  return { chosen, vitestArgs: argv.slice(takesTwo ? 2 : 1) };
}
