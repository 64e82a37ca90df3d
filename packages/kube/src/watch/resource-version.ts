/**
 * Kubernetes promises since 1.35 (KEP-5504) that resource versions of one collection are positive decimal
 * integers that only grow; older servers on etcd behave the same. They may exceed 64 bits, so they stay strings.
 */
export function isComparable(version: string): boolean {
  return /^[1-9][0-9]*$/.test(version);
}

/** Less than, equal to or greater than zero. Both must be comparable: no leading zeros, so the longer is greater. */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
