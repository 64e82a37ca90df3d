import { findKubectl } from '../support/find-kubectl.ts';

/** What a test needs that the local cluster does not have, or this machine. */
export type Need =
  /** Deployments and their kin make pods, and these become Ready. */
  | 'workloads'
  /** What is owned goes with its owner; it and the namespace controller have names that the guards exempt. */
  | 'garbage collector'
  | 'server-side apply'
  /** Left out only where there is none. */
  | 'kubectl';

interface LeftOut {
  /** Without the suffix: `contract/watch` is test/contract/watch.level1.test.ts. */
  file: string;
  needs: Need;
  /** Only these, by their names without those of the groups around them; all unless told. */
  tests?: readonly string[];
}

/**
 * Tests of level 1 that do not run on the local cluster, and what they wait for. Everything else does, inside
 * `npm test`. When the local cluster gets what is missing, lines go: the list is to become empty but for kubectl.
 */
export const leftOut: readonly LeftOut[] = [
  // Stories of workloads that roll out.
  { file: 'e2e/adoption', needs: 'workloads' },
  { file: 'e2e/adoption-webhook', needs: 'workloads' },
  { file: 'e2e/bad-config', needs: 'workloads' },
  { file: 'e2e/bad-input', needs: 'workloads' },
  { file: 'e2e/blame', needs: 'workloads' },
  { file: 'e2e/configmap-rollout', needs: 'workloads' },
  { file: 'e2e/first-release', needs: 'workloads' },
  { file: 'e2e/health', needs: 'workloads' },
  { file: 'e2e/health-sets', needs: 'workloads' },
  { file: 'e2e/installed', needs: 'workloads' },
  { file: 'e2e/intent', needs: 'workloads' },
  { file: 'e2e/mid-rollout', needs: 'workloads' },
  { file: 'e2e/names', needs: 'workloads' },
  { file: 'e2e/opt-out', needs: 'workloads' },
  { file: 'e2e/opt-out-by-deletion', needs: 'workloads' },
  { file: 'e2e/release-modes', needs: 'workloads' },
  { file: 'e2e/together', needs: 'workloads' },
  { file: 'e2e/together-installed', needs: 'workloads' },
  { file: 'e2e/undo', needs: 'workloads' },
  { file: 'e2e/waves', needs: 'workloads' },
  { file: 'e2e/who-asked', needs: 'workloads' },
  {
    file: 'contract/fixtures',
    needs: 'workloads',
    tests: [
      'apply, scale, kubectl and delete do what a user does',
      'a wait that runs out tells the whole story',
    ],
  },
  // Each of its tests goes on where the last one ended.
  { file: 'contract/webhook', needs: 'workloads' },
  { file: 'contract/retention-revisions', needs: 'workloads' },
  {
    file: 'contract/ownership',
    needs: 'workloads',
    tests: [
      'a new ReplicaSet owns its copy, and neither controls it nor is blocked by it',
      'ReplicaSets share a copy when only the image changed',
      'ControllerRevisions of StatefulSets and DaemonSets own, and Secrets are owned like ConfigMaps',
    ],
  },
  {
    file: 'contract/gateway/activate',
    needs: 'workloads',
    tests: [
      'a version is activated: 202, being current, current, and everybody is named',
      'a running activation is superseded, and both are told',
      'what was rolled back says why, and is tried again when a person asks again',
      'the time of a wait may be over first: it goes on, and that is said',
      'a dry run tells the plan as far as one may see it, and writes nothing',
    ],
  },
  {
    file: 'contract/gateway/pass-kubectl',
    needs: 'workloads',
    tests: ['kubectl rollout status follows a Deployment to its end'],
  },

  // Without a garbage collector nothing goes with its owner.
  { file: 'contract/guards-cleanup', needs: 'garbage collector' },
  { file: 'contract/retention-rights', needs: 'garbage collector' },
  {
    file: 'contract/ownership',
    needs: 'garbage collector',
    tests: [
      'with the rollout go its versions, except those that revisions own: these go with the last of them',
      'a rollout that is deleted without its versions leaves them to stay',
    ],
  },

  {
    file: 'contract/transport',
    needs: 'server-side apply',
    tests: ['apply, which meets other owners, and overrules them when told'],
  },
  {
    file: 'contract/webhook-workloads',
    needs: 'server-side apply',
    tests: [
      'server-side apply of the same manifest changes nothing',
      'server-side apply after the controller moved it conflicts; forced, it changes nothing',
    ],
  },
  {
    file: 'contract/gateway/pass-kubectl',
    needs: 'server-side apply',
    tests: ['kubectl applies, client-side and server-side, and reads what it applied'],
  },
  // Who wrote which field is remembered for server-side apply.
  {
    file: 'contract/gateway/create-config',
    needs: 'server-side apply',
    tests: ['the audit log names the person as the writer of everything, and never the gateway'],
  },
];

/** The folders whose level 1 tests are for both engines. The contract of the API has its own way there. */
export const onBoth = ['test/contract/*', 'test/contract/gateway/*', 'test/e2e/*'].map(level1);

/** Files that have nothing for the local cluster, as paths. */
export function filesLeftOut(): string[] {
  return leftOut
    .filter((each) => each.tests === undefined && isMissing(each.needs))
    .map(({ file }) => level1(`test/${file}`));
}

/** What one test of a file waits for; undefined when it can run. */
export function waitsFor(path: string, test: string): Need | undefined {
  const entry = leftOut.find(
    ({ file, needs, tests }) =>
      path.endsWith(level1(`test/${file}`)) &&
      isMissing(needs) &&
      (tests === undefined || tests.includes(test)),
  );
  return entry?.needs;
}

let hasKubectl: boolean | undefined;

function isMissing(need: Need): boolean {
  if (need !== 'kubectl') return true;
  hasKubectl ??= findKubectl() !== undefined;
  return !hasKubectl;
}

function level1(path: string): string {
  return `${path}.level1.test.ts`;
}
