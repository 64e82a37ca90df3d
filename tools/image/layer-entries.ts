import { posix } from 'node:path';
import { parents } from '@trimtab/test-bed/cluster/images/folder-entries.ts';
import type { TarEntry } from '@trimtab/test-bed/cluster/images/tar.ts';

/** The entries of a layer in a fixed order, with the parent folders of each. */
export function layerEntries(entries: readonly TarEntry[]): TarEntry[] {
  const all = entries.flatMap((entry) => [...parents(posix.dirname(entry.path)), entry]);
  const byPath = new Map(all.filter(({ path }) => path !== '.').map((entry) => [entry.path, entry]));
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
