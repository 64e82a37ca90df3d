/** The fault runs that are for both engines. The random ones have a way of their own there. */
export const faultsOnBoth = [
  'api-server',
  'frozen',
  'killed',
  'planted-bugs',
  'proxy-faults',
  'surroundings',
].map((family) => `packages/trimtab/test/faults/${family}.faults.test.ts`);

/** Families of which CI has every third run on real Kubernetes; it has the others whole. */
const inPart = new Set(['frozen', 'proxy-faults', 'random']);

/** Whether CI has a fault run on real Kubernetes, by its place in its file. */
export function isInCi(path: string, place: number): boolean {
  return !inPart.has(familyOf(path)) || place % 3 === 0;
}

function familyOf(path: string): string {
  return path.match(/([^/]+)\.faults\.test\.ts$/)?.[1] ?? '';
}
