import type { Share } from '../conformance/shards.ts';
import type { Level } from './state/bed-state.ts';

/** Tests that run together on a bed of their own. */
export interface BedSuite {
  /** As people and the summary call it. */
  name: string;
  /** As vitest calls it. */
  project: string;
  level: Level;
  /** How many beds share its test files, which run one after the other on each; 1 by default. */
  beds?: number;
}

/** Kubernetes' own tests, which bring up local clusters for themselves. */
export interface ConformanceSuite {
  name: string;
  conformance: Share;
}

export type Suite = BedSuite | ConformanceSuite;

export function isOnBed(suite: Suite): suite is BedSuite {
  return 'project' in suite;
}

/**
 * One stage after the other, and suites of one stage side by side. Tests of level 1 and 2 wait more than they work; the
 * fault runs need the machine for themselves.
 */
const stages: readonly (readonly Suite[])[] = [
  [
    { name: 'level 1', project: 'level1', level: 1, beds: 2 },
    { name: 'level 2', project: 'level2', level: 2 },
  ],
  [{ name: 'conformance', conformance: 'quick' }],
  [{ name: 'faults', project: 'some-faults', level: 1 }],
];

/** Suites of which CI has only a part, whole. */
const longStages: readonly (readonly Suite[])[] = [
  [{ name: 'conformance', conformance: 'all' }],
  [{ name: 'faults', project: 'faults', level: 1 }],
];

export const help = `Usage: npm run test:cluster [-- flags] [-- flags and file filters of vitest]

Runs the tests on real Kubernetes, each suite on beds that are made for it and taken down afterwards. Test files that
fail are run once more, one at a time, when the suite is over: what passes then is listed as flaky.

  --level 1      tests that need a control plane
  --level 2      tests that need real containers (root on Linux)
  --conformance  Kubernetes' own specs on the local API server
  --faults       the controller killed, frozen and disturbed
  --long         all fault runs and all specs, where CI has a part of them (npm run test:long)
  -h, --help     print this text

Examples
  npm run test:cluster
  npm run test:cluster -- --level 1 undo
  npm run test:cluster -- --long --faults -t frozen
`;

export interface ChosenSuites {
  stages: readonly (readonly Suite[])[];
  vitestArgs: string[];
}

/** All suites, or the one that the first words name: `--level 1`, `--level=2`, `--conformance`, `--faults`. */
export function chooseSuites(argv: readonly string[]): ChosenSuites {
  const [head, ...tail] = argv;
  if (head === '--long') return choose(longStages, tail);
  return choose(stages, argv);
}

function choose(from: ChosenSuites['stages'], argv: readonly string[]): ChosenSuites {
  const [first = '', second = ''] = argv;
  const takesTwo = first === '--level';
  const asked = takesTwo ? `level ${second}` : first.replace(/^--/, '').replace('=', ' ');
  const named = first.startsWith('--') ? only(from, ({ name }) => name === asked) : [];
  if (named.length > 0) return { stages: named, vitestArgs: argv.slice(takesTwo ? 2 : 1) };
  // Arguments of vitest mean nothing to the others.
  return { stages: argv.length === 0 ? from : only(from, isOnBed), vitestArgs: [...argv] };
}

function only(from: ChosenSuites['stages'], wanted: (suite: Suite) => boolean): ChosenSuites['stages'] {
  return from.map((suites) => suites.filter(wanted)).filter((suites) => suites.length > 0);
}
