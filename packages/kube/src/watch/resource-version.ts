/**
 * Kubernetes guarantees since 1.35 (KEP-5504) that resource versions of one collection are positive decimal integers
 * that only increase. Older servers on etcd behave the same. Versions may exceed 64 bits, so they stay strings.
 */
export function isComparable(version: string): boolean {
  return /^[1-9][0-9]*$/.test(version);
}

/** Compares two comparable versions like a sort function. They have no leading zeros, so the longer one is greater. */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
