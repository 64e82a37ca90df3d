/** The fault runs that are for both engines. The random ones have a way of their own there. */
export const faultsOnBoth = [
  'api-server',
  'frozen',
  'killed',
  'planted-bugs',
  'proxy-faults',
  'surroundings',
].map((family) => `test/e2e/faults/${family}.faults.test.ts`);

/**
 * What of them `npm test` has time for: one of each family, on two scenarios, since the undisturbed telling of each
 * costs as much as a fault run. `npm run test:local` has them all.
 */
const inNpmTest: Record<string, readonly string[]> = {
  'api-server': ['the API server is killed in mid-activation and started again'],
  frozen: [
    'twoWaves, activation: a leader that freezes at workload assigned (2.) and wakes when all is over changes nothing',
    'one that stands by takes over when the leader is killed',
  ],
  killed: ['rolledBack, activation: killed before and after workload reverted (1.)'],
  'planted-bugs': ['the bake is skipped: that is caught'],
  'proxy-faults': ['every write of a rollback meets {"kind":"fail-after"}'],
  surroundings: ['twoWaves: the API server is cut off in mid-activation and comes back'],
};

/** Those of one file of fault runs. */
export function namesInNpmTest(path: string): readonly string[] {
  const family = path.match(/([^/]+)\.faults\.test\.ts$/)?.[1] ?? '';
  return inNpmTest[family] ?? [];
}
