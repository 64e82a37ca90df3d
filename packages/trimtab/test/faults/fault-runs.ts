/** The fault tests that run on both engines. On the local engine, random faults run in test/faults/driven. */
export const faultsOnBoth = [
  'api-server',
  'frozen',
  'killed',
  'planted-bugs',
  'proxy-faults',
  'surroundings',
].map((family) => `packages/trimtab/test/faults/${family}.faults.test.ts`);

/** Families of which CI runs every third test on real Kubernetes; it runs the others completely. */
const inPart = new Set(['frozen', 'proxy-faults', 'random']);

/** Whether CI runs a fault test on real Kubernetes, by its position in its file. */
export function isInCi(path: string, place: number): boolean {
  return !inPart.has(familyOf(path)) || place % 3 === 0;
}

function familyOf(path: string): string {
  return path.match(/([^/]+)\.faults\.test\.ts$/)?.[1] ?? '';
}
