import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';

/** A requirement of a test that the local cluster or the machine may lack. */
export type Need = 'kubectl';

interface LeftOut {
  /** Without the suffix: `kube/test/watch` is packages/kube/test/watch.cluster.test.ts. */
  file: string;
  needs: Need;
  /** Titles of the tests without the titles of their groups; optional, defaults to all tests of the file. */
  tests?: readonly string[];
}

/** Tests for any cluster that are skipped on the local cluster when the machine has no kubectl. */
export const leftOut: readonly LeftOut[] = [
  { file: 'trimtab/test/cli/inspect', needs: 'kubectl' },
  { file: 'trimtab/test/cli/json-path', needs: 'kubectl' },
  { file: 'trimtab/test/cli/configmap-rollout-document', needs: 'kubectl' },
  { file: 'trimtab/test/cli/create-sources', needs: 'kubectl' },
  { file: 'trimtab/test/cli/guides', needs: 'kubectl' },
  { file: 'trimtab/test/cli/kubectl', needs: 'kubectl' },
  { file: 'trimtab/test/cli/purge', needs: 'kubectl' },
  {
    file: 'trimtab/test/cli/completion',
    needs: 'kubectl',
    tests: ['kubectl completes the plugin by kubectl_complete-trimtab'],
  },
  {
    file: 'trimtab/test/cli/failures',
    needs: 'kubectl',
    tests: ['an unknown output format is refused with the words of kubectl'],
  },
  { file: 'trimtab/test/cli/kubectl-plugin', needs: 'kubectl' },
  { file: 'trimtab/test/controller/manifests-rights', needs: 'kubectl' },
  { file: 'trimtab/test/controller/webhook', needs: 'kubectl' },
  { file: 'trimtab/test/controller/webhook-workloads', needs: 'kubectl' },
  { file: 'trimtab/test/gateway/gateway-process', needs: 'kubectl' },
  { file: 'trimtab/test/gateway/kubectl-create', needs: 'kubectl' },
  { file: 'trimtab/test/gateway/pass-kubectl', needs: 'kubectl' },
  { file: 'trimtab/test/gateway/proposal-fields', needs: 'kubectl' },
  {
    file: 'trimtab/test/stories/from-reloader',
    needs: 'kubectl',
    tests: [
      '`deployment.reloader.stakater.com/pause-period: "5m"`',
      'the annotation of Trimtab replaces those of Reloader without a rolling update',
    ],
  },
  {
    file: 'trimtab/test/stories/from-reloader-flags',
    needs: 'kubectl',
    tests: [
      '`--namespace-selector=env=prod`',
      '`--resource-label-selector=reload=true`',
      '`--auto-reload-all`',
    ],
  },
  { file: 'trimtab/test/stories/installed', needs: 'kubectl' },
  { file: 'trimtab/test/stories/kustomize', needs: 'kubectl' },
  { file: 'trimtab/test/stories/manage-list', needs: 'kubectl' },
  { file: 'trimtab/test/stories/release-flow', needs: 'kubectl' },
  { file: 'trimtab/test/stories/removal', needs: 'kubectl' },
  { file: 'trimtab/test/stories/version-labels', needs: 'kubectl' },
  { file: 'trimtab/test/stories/what-people-see', needs: 'kubectl' },
  { file: 'trimtab/test/stories/reload-unavailable', needs: 'kubectl' },
  { file: 'trimtab/test/stories/denied', needs: 'kubectl' },
  { file: 'trimtab/test/stories/judged', needs: 'kubectl' },
  { file: 'trimtab/test/stories/parked', needs: 'kubectl' },
  { file: 'trimtab/test/stories/rebuilt-status', needs: 'kubectl' },
  { file: 'trimtab/test/stories/rejected-sets', needs: 'kubectl' },
  { file: 'trimtab/test/stories/replaced-config', needs: 'kubectl' },
  { file: 'trimtab/test/stories/template-changes', needs: 'kubectl' },
  { file: 'trimtab/test/stories/unmanaged-references', needs: 'kubectl' },
  { file: 'trimtab/test/stories/veto', needs: 'kubectl' },
  {
    file: 'kube/test/events',
    needs: 'kubectl',
    tests: [
      'an event with its count, in `describe` and in `events`',
      'events of an object that lives in no namespace',
    ],
  },
  {
    file: 'test-bed/src/fault-proxy/fault-proxy',
    needs: 'kubectl',
    tests: [
      'works as without it',
      'a write that fails before its effect has none',
      'a write that fails after its effect is really there',
      'a client that is killed before its write never made it; after it, it did',
      'is told to come back later, and does',
      'shows the reason of an answer as it shows that of the server',
      'over TLS keeps its own identity',
      'misses what was dropped, sees twice what was repeated, and a new order',
      'ends when the watch ends',
      'stalls, and goes on with nothing lost',
      'an upgrade that the server refuses is answered, not swallowed',
    ],
  },
  {
    file: 'test-bed/src/story/story',
    needs: 'kubectl',
    tests: [
      'apply, scale, kubectl and delete do what a user does',
      'an impersonated user may do what a role gives her, and no more',
      'a user with a client certificate is who it says, with its group',
      'a group, and a service account with its own token',
      'tells who wrote what since a mark, and nothing from before it',
    ],
  },
  {
    file: 'trimtab/test/controller/guards',
    needs: 'kubectl',
    tests: [
      'the data of a locked config is refused, also by kubectl; the rest may change, and unlocking helps',
    ],
  },
  {
    file: 'trimtab/test/controller/guards-versions',
    needs: 'kubectl',
    tests: ['the API server finds nothing to complain about in any guard'],
  },
  {
    file: 'trimtab/test/reload/reload-modes',
    needs: 'kubectl',
    tests: ['a manifest that is applied again changes nothing'],
  },
  { file: 'kube/test/lease', needs: 'kubectl', tests: ['kubectl shows who leads'] },
  {
    file: 'trimtab/test/controller/webhook-certificate',
    needs: 'kubectl',
    tests: ['what `kubectl replace` takes out of the webhook configuration comes back'],
  },
  {
    file: 'trimtab/test/gateway/client-certificates',
    needs: 'kubectl',
    tests: ['kubectl works with a certificate, and RBAC decides what it may'],
  },
  {
    file: 'trimtab/test/gateway/laptop-proxy',
    needs: 'kubectl',
    tests: ['kubectl works through it, without any credential of its own'],
  },
];

/** Paths of the files of which every test is skipped on the local cluster. */
export function filesLeftOut(): string[] {
  return leftOut.filter((each) => each.tests === undefined && isMissing()).map(({ file }) => pathOf(file));
}

/** Returns the missing requirement of a test; undefined when the test can run. */
export function waitsFor(path: string, test: string): Need | undefined {
  const entry = leftOut.find(
    ({ file, tests }) =>
      path.endsWith(pathOf(file)) && isMissing() && (tests === undefined || tests.includes(test)),
  );
  return entry?.needs;
}

let hasKubectl: boolean | undefined;

function isMissing(): boolean {
  hasKubectl ??= findKubectl() !== undefined;
  return !hasKubectl;
}

function pathOf(file: string): string {
  return `packages/${file}.cluster.test.ts`;
}
