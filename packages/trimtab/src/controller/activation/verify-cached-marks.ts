import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { labels } from '../../api/names.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { ControllerContext } from '../context.ts';
import type { ObservedRollout } from './observe.ts';

/**
 * Returns false when the cache of versions is stale. A status that contradicts the marks of versions is either wrong
 * or newer: watches are independent, so right after an activation one cache can show its end before the other. Only
 * in this case the marks are read from the API server.
 */
export async function cachedMarksAreCurrent(
  { client }: ControllerContext,
  rollouts: readonly Pick<ObservedRollout, 'rollout' | 'versions' | 'contradicted'>[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const each of rollouts) {
    const doubted = [...(each.contradicted ? doubtedCurrent(each) : []), ...unseenRejections(each)];
    for (const { kind, namespace, object, state } of doubted) {
      const where = { namespace, name: object };
      const live = await getIfExists(client, configResources[kind], where, {
        projection: 'metadata',
        signal,
      });
      if (live?.metadata.labels?.[labels.state] !== state) return false;
    }
  }
  return true;
}

type Seen = Pick<ObservedRollout, 'rollout' | 'versions'>;

function doubtedCurrent({ rollout, versions }: Seen): VersionMetadata[] {
  const said = rollout.status?.current?.object;
  const marked = versions.filter(({ object, state }) => object === said || state === 'current');
  // One version is always marked current. Without a mark, the cache is stale or a user removed the label.
  return marked.length > 0 ? marked : versions;
}

/**
 * Returns the version that the status reports as rolled back or aborted but that is not marked rejected in the cache. Without a
 * fresh read it would be activated again immediately.
 */
function unseenRejections({ rollout: { status }, versions }: Seen): VersionMetadata[] {
  const [newest] = status?.history ?? [];
  const isOver = status?.phase === 'Failed' || status?.phase === 'Aborted';
  if (!isOver || !['RolledBack', 'Aborted'].includes(newest?.result ?? '')) return [];
  return versions.filter(({ name, state }) => name === newest?.version && state !== 'rejected');
}
