import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The test files of `npm test` that take longest. A fresh clone has no timings yet, and one of them that begins last would
 * keep everybody waiting for it.
 */
export const longFiles = [
  'test/up/up.test.ts',
  'test/up/shared-addresses.test.ts',
  'test/driven/random-faults-even.test.ts',
  'test/driven/random-faults-odd.test.ts',
  'test/contract/workloads/local/pod-lifecycles.test.ts',
  'test/contract/workloads/local/rolling-limits.property.test.ts',
  'test/contract/workloads/local/rolling-updates.test.ts',
  'test/contract/api/local/floods.test.ts',
  'src/local/kubelet/kubelet-killed.test.ts',
  'src/local/kubelet/many-pods.test.ts',
  'tools/help.test.ts',
  'test/runner/run-vitest.test.ts',
  'test/e2e/blame.level1.test.ts',
  'test/e2e/together.level1.test.ts',
  'test/e2e/mid-rollout.level1.test.ts',
  'test/e2e/health.level1.test.ts',
  'test/e2e/bad-input.level1.test.ts',
  'test/e2e/health-sets.level1.test.ts',
  'test/e2e/names.level1.test.ts',
  'test/e2e/intent.level1.test.ts',
  'test/e2e/adoption-webhook.level1.test.ts',
  'test/contract/gateway/activate.level1.test.ts',
  'test/contract/gateway/model.level1.test.ts',
  'test/contract/watch-faults.level1.test.ts',
  'test/contract/lease.level1.test.ts',
];

/** Starts with what takes longest; the rest is in vitest's own order. */
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
