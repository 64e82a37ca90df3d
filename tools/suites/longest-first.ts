import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The test files of `npm test` that take longest. A fresh clone has no timings, and a long file that starts last would
 * delay the end of the run.
 */
export const longFiles = [
  'demo/test/up.test.ts',
  'demo/test/shared-addresses.test.ts',
  'packages/trimtab/test/stories/references-by-admission.cluster.test.ts',
  'packages/trimtab/test/faults/driven/random-faults-even.test.ts',
  'packages/trimtab/test/faults/driven/random-faults-odd.test.ts',
  'packages/local-cluster/test/contract/workloads/areas/pod-lifecycles.containers.test.ts',
  'packages/local-cluster/test/contract/workloads/rolling-limits.property.test.ts',
  'packages/local-cluster/test/contract/workloads/areas/rolling-updates.cluster.test.ts',
  'packages/local-cluster/test/contract/api/areas/floods.cluster.test.ts',
  'packages/local-cluster/src/kubelet/kubelet-killed.test.ts',
  'packages/local-cluster/src/kubelet/many-pods.test.ts',
  'tools/help.test.ts',
  'tools/suites/run-vitest.test.ts',
  'packages/trimtab/test/reload/guide.test.ts',
  'packages/trimtab/test/stories/unmanaged-references.cluster.test.ts',
  'packages/trimtab/test/stories/judged.cluster.test.ts',
  'packages/trimtab/test/stories/rejected-sets.cluster.test.ts',
  'packages/trimtab/test/reload/reload-faults.cluster.test.ts',
  'packages/trimtab/test/stories/what-people-see.cluster.test.ts',
  'packages/trimtab/test/stories/rebuilt-status.cluster.test.ts',
  'packages/trimtab/test/stories/parked.cluster.test.ts',
  'packages/trimtab/test/stories/blame.cluster.test.ts',
  'packages/trimtab/test/stories/together.cluster.test.ts',
  'packages/trimtab/test/stories/mid-rollout.cluster.test.ts',
  'packages/trimtab/test/stories/health.cluster.test.ts',
  'packages/trimtab/test/stories/bad-input.cluster.test.ts',
  'packages/trimtab/test/stories/health-sets.cluster.test.ts',
  'packages/trimtab/test/stories/names.cluster.test.ts',
  'packages/trimtab/test/stories/intent.cluster.test.ts',
  'packages/trimtab/test/stories/adoption-webhook.cluster.test.ts',
  'packages/trimtab/test/gateway/activate.cluster.test.ts',
  'packages/trimtab/test/gateway/model.cluster.test.ts',
  'packages/kube/test/watch-faults.cluster.test.ts',
  'packages/kube/test/lease.cluster.test.ts',
];

/** Runs the longest files first and the others in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      longFiles.some((file) => moduleId.endsWith(`/${file}`));
    const { long = [], other = [] } = Object.groupBy(await super.sort(files), (file) =>
      isLong(file) ? 'long' : 'other',
    );
    return [...long, ...other];
  }
}
