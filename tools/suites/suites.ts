import type { Level } from '@trimtab/test-bed/cluster/state/bed-state.ts';
import type { Share } from '../../packages/local-cluster/test/conformance/shards.ts';

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
 * One stage after the other, and suites of one stage side by side. Tests of the first stage wait more than they work; the
 * fault runs need the machine for themselves.
 */
const stages: readonly (readonly Suite[])[] = [
  [
    { name: 'kubernetes', project: 'kubernetes', level: 1, beds: 2 },
    { name: 'containers', project: 'containers', level: 2 },
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

  --kubernetes   tests that need any cluster, or real Kubernetes; pods are simulated
  --containers   tests that need real containers (root on Linux)
  --conformance  Kubernetes' own specs on the local API server
  --faults       the controller killed, frozen and disturbed
  --long         all fault runs and all specs, where CI has a part of them (npm run test:long)
  -h, --help     print this text

Examples
  npm run test:cluster
  npm run test:cluster -- --kubernetes undo
  npm run test:cluster -- --long --faults -t frozen
`;

export interface ChosenSuites {
  stages: readonly (readonly Suite[])[];
  vitestArgs: string[];
}

/** All suites, or the one that the first words name: `--kubernetes`, `--containers`, `--conformance`, `--faults`. */
export function chooseSuites(argv: readonly string[]): ChosenSuites {
  const [head, ...tail] = argv;
  if (head === '--long') return choose(longStages, tail);
  return choose(stages, argv);
}

function choose(from: ChosenSuites['stages'], argv: readonly string[]): ChosenSuites {
  const [first = '', ...vitestArgs] = argv;
  const named = only(from, ({ name }) => first === `--${name}`);
  if (named.length > 0) return { stages: named, vitestArgs };
  // Arguments of vitest mean nothing to the others.
  return { stages: argv.length === 0 ? from : only(from, isOnBed), vitestArgs: [...argv] };
}

function only(from: ChosenSuites['stages'], wanted: (suite: Suite) => boolean): ChosenSuites['stages'] {
  return from.map((suites) => suites.filter(wanted)).filter((suites) => suites.length > 0);
}
