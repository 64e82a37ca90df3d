import type { Level } from '@trimtab/test-bed/cluster/state/bed-state.ts';
import type { Share } from '../../packages/local-cluster/test/conformance/shards.ts';

/** Tests that run together on their own beds. */
export interface BedSuite {
  /** The name in flags and in the summary. */
  name: string;
  /** The project of vitest. */
  project: string;
  level: Level;
  /** Number of beds that share the test files; optional, defaults to 1. A bed runs its files one after the other. */
  beds?: number;
  /** Its tests run Helm and other tools, which are built first; optional, defaults to false. */
  tools?: true;
}

/** Kubernetes' own tests, which bring up their own local clusters. */
export interface ConformanceSuite {
  name: string;
  conformance: Share;
}

export type Suite = BedSuite | ConformanceSuite;

export function isOnBed(suite: Suite): suite is BedSuite {
  return 'project' in suite;
}

/**
 * Stages run one after the other; the suites of a stage run in parallel. The tests of the first stage are idle most of
 * the time. The fault runs need the whole machine, so nothing runs in parallel with them.
 */
const stages: readonly (readonly Suite[])[] = [
  [
    { name: 'kubernetes', project: 'kubernetes', level: 1, beds: 2, tools: true },
    { name: 'containers', project: 'containers', level: 2 },
  ],
  // The stories of the first suite, with versions that admission writes into pods.
  [{ name: 'by-admission', project: 'by-admission', level: 1, beds: 2, tools: true }],
  [{ name: 'conformance', conformance: 'quick' }],
  [{ name: 'faults', project: 'some-faults', level: 1 }],
];

/** The suites of which CI runs a part, in full. */
const longStages: readonly (readonly Suite[])[] = [
  [{ name: 'conformance', conformance: 'all' }],
  [{ name: 'faults', project: 'faults', level: 1 }],
];

export const help = `Usage: npm run test:cluster [-- flags] [-- flags and file filters of vitest]

Runs the tests on real Kubernetes. Each suite runs on its own beds, which are brought up for it and taken down afterwards.
Failed test files are run once more at the end, one at a time; tests that pass then are listed as flaky.

  --kubernetes   run the tests that need any cluster or real Kubernetes; pods are simulated
  --by-admission run the stories once more, with references that admission rewrites
  --containers   run the tests that need real containers (root on Linux)
  --conformance  run Kubernetes' own specs on the local API server
  --faults       run the fault runs, in which the controller is killed, frozen and disturbed
  --long         run all fault runs and all specs; CI runs a part of them (npm run test:long)
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

/** Returns all suites, or the suite of the first flag: `--kubernetes`, `--containers`, `--conformance`, `--faults`. */
export function chooseSuites(argv: readonly string[]): ChosenSuites {
  const [head, ...tail] = argv;
  if (head === '--long') return choose(longStages, tail);
  return choose(stages, argv);
}

function choose(from: ChosenSuites['stages'], argv: readonly string[]): ChosenSuites {
  const [first = '', ...vitestArgs] = argv;
  const named = only(from, ({ name }) => first === `--${name}`);
  if (named.length > 0) return { stages: named, vitestArgs };
  // The conformance suite does not run vitest, so it takes no arguments of vitest.
  return { stages: argv.length === 0 ? from : only(from, isOnBed), vitestArgs: [...argv] };
}

function only(from: ChosenSuites['stages'], wanted: (suite: Suite) => boolean): ChosenSuites['stages'] {
  return from.map((suites) => suites.filter(wanted)).filter((suites) => suites.length > 0);
}
