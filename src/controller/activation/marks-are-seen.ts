import { labels } from '../../api/names.ts';
import { configResources } from '../../kube/resource.ts';
import { isNotFound } from '../../kube/transport/errors.ts';
import type { ControllerContext } from '../context.ts';
import type { ObservedRollout } from './observe.ts';

/**
 * False when the picture may be behind. A status that contradicts the marks of versions is a lie or the news: two
 * watches are not in step, and right after an activation one can know its end before the other. Only the server
 * knows, and it is asked in this case alone.
 */
export async function marksAreSeen(
  { client }: ControllerContext,
  rollouts: readonly Pick<ObservedRollout, 'rollout' | 'versions' | 'contradicted'>[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { rollout, versions } of rollouts.filter(({ contradicted }) => contradicted)) {
    const said = rollout.status?.current?.object;
    const marked = versions.filter(({ object, state }) => object === said || state === 'current');
    // One always has the mark: where we see none, we are behind, or somebody took it away.
    const doubted = marked.length > 0 ? marked : versions;
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
