import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { labels } from '../../api/names.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { ControllerContext } from '../context.ts';
import type { ObservedRollout } from './observe.ts';

/**
 * False when the cache may be behind. A status that contradicts the marks of versions is a lie or the news: two
 * watches are not in step, and right after an activation one can know its end before the other. Only the server
 * knows, and it is asked in this case alone.
 */
export async function marksAreSeen(
  { client }: ControllerContext,
  rollouts: readonly Pick<ObservedRollout, 'rollout' | 'versions' | 'contradicted'>[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const each of rollouts) {
    const doubted = [...(each.contradicted ? doubtedCurrent(each) : []), ...unseenRejections(each)];
    for (const { kind, namespace, object, state } of doubted) {
      const live = await client
        .get(configResources[kind], { namespace, name: object }, { projection: 'metadata', signal })
        .catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
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
  // One always has the mark: where we see none, we are behind, or somebody took it away.
  return marked.length > 0 ? marked : versions;
}

/** The status tells of a rollback, and the version looks as if it had never failed: it would be tried again at once. */
function unseenRejections({ rollout: { status }, versions }: Seen): VersionMetadata[] {
  const [newest] = status?.history ?? [];
  if (status?.phase !== 'Failed' || newest?.result !== 'RolledBack') return [];
  return versions.filter(({ name, state }) => name === newest.version && state !== 'rejected');
}
