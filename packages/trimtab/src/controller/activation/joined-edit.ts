import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { WorkloadState } from '../../core/activation/types.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import type { ControllerContext } from '../context.ts';
import type { ObservedGroup, ObservedRollout } from './observe.ts';

/**
 * Whether the cache lacks the edit that a workload was changed together with: admission has read the edit from the API server
 * and assigned its version, and the watch has not delivered the edit. A repair would take the workload back.
 */
export async function lacksJoinedEdit(
  context: ControllerContext,
  { rollouts }: ObservedGroup,
  { record, assignment, references }: WorkloadState,
  signal: AbortSignal,
): Promise<boolean> {
  if (record?.joined !== true || assignment !== 'ours') return false;
  const ahead = rollouts.filter(({ state }) => {
    const object = references.get(state.config);
    return object !== undefined && object !== state.current?.object;
  });
  const found = await Promise.all(
    ahead.map((each) => holds(context, each, references.get(each.state.config), signal)),
  );
  return found.some(Boolean);
}

/** Whether the config holds the content of this version, and the cache does not know it. */
async function holds(
  { direct }: ControllerContext,
  { rollout, versions, live }: ObservedRollout,
  object: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const version = versions.find((each) => each.object === object);
  if (version === undefined || version.contentHash === live?.hash) return false;
  const { kind, name } = rollout.spec.config;
  const where = { namespace: rollout.metadata.namespace ?? '', name };
  const body = await getIfExists<ConfigBody>(direct, configResources[kind], where, { signal });
  return body !== undefined && contentHash(body) === version.contentHash;
}
