import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { VersionMetadata } from './version-metadata.ts';

/**
 * The version that was current before the current one: the one that became current last, of those that still exist. A
 * version that was rolled back since is not chosen. The marks on the versions decide; for a version that was never
 * marked, such as the first one, the history of the status does.
 */
export function previousVersion(
  { status }: Pick<ConfigRollout, 'status'>,
  versions: readonly VersionMetadata[],
  current: string | undefined,
): VersionMetadata | undefined {
  const usable = versions.filter(({ name, rejected }) => name !== current && rejected === undefined);
  const marked = usable.filter(({ currentCount }) => currentCount > 0);
  if (marked.length > 0) return marked.reduce((a, b) => (b.currentCount > a.currentCount ? b : a));
  const names = (status?.history ?? [])
    .filter(({ result }) => result === 'Current')
    .map(({ version }) => version);
  const inHistory = names.map((name) => usable.find((each) => each.name === name)).find(Boolean);
  // The first version of a config is current from its creation on, without an activation.
  return inHistory ?? usable.find(({ sequence }) => sequence === 1);
}
