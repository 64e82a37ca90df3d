import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';
import { wantedVersion } from '../../core/activation/rollout-state.ts';
import { missingKeys } from '../../core/references/preflight.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { originalOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { ObservedGroup, ObservedRollout } from './observe.ts';

/**
 * Keys that workloads name and the wanted version lacks fail it before any pod is touched; so does a version
 * whose content is not what its annotation says. Reads the version itself only when the live config is not it.
 */
export async function preflight(
  context: ControllerContext,
  observed: ObservedGroup,
  rollout: ObservedRollout,
  signal: AbortSignal,
): Promise<string | undefined> {
  const wanted = wantedVersion(rollout.state);
  if (wanted === undefined || wanted.object === rollout.state.current?.object) return undefined;
  if (wanted.object === rollout.state.running?.target.object) return undefined;
  const { kind, name } = rollout.rollout.spec.config;
  const live = originalOf(context.cluster, rollout.rollout);
  const keys =
    live?.hash === wanted.contentHash ? live.keys : await keysOfVersion(context, rollout, wanted, signal);
  if (typeof keys === 'string') return keys;
  const data = Object.fromEntries([...keys].map((key) => [key, '']));
  for (const { workload } of observed.workloads) {
    const [missing] = missingKeys(workload.references, (reference) => {
      const config = observed.configOf(reference.kind, reference.name);
      return reference.kind === kind && config === name ? { data } : undefined;
    });
    if (missing === undefined) continue;
    return `version ${wanted.name} has no key ${missing.keys.map((key) => JSON.stringify(key)).join(', ')}, which ${workloadKey(workload.kind, workload.name)} names`;
  }
  return undefined;
}

async function keysOfVersion(
  { client }: ControllerContext,
  { rollout }: ObservedRollout,
  version: { name: string; object: string; contentHash: string },
  signal: AbortSignal,
): Promise<ReadonlySet<string> | string> {
  const { kind } = rollout.spec.config;
  const where = { namespace: rollout.metadata.namespace ?? '', name: version.object };
  const body = await client.get<ConfigBody>(configResources[kind], where, { signal });
  const type = kind === 'Secret' ? body.metadata.annotations?.[annotations.originalType] : undefined;
  if (contentHash({ ...body, type }) !== version.contentHash) {
    return `the content of version ${version.name} is not what it was made with; it is not released`;
  }
  return new Set([...Object.keys(body.data ?? {}), ...Object.keys(body.binaryData ?? {})]);
}
