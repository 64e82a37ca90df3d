import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';
import { type RolloutState, wantedVersion } from '../../core/activation/rollout-state.ts';
import { missingKeys } from '../../core/references/preflight.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { originalOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { ObservedGroup, ObservedRollout } from './observe.ts';

/**
 * Rejects a version before any pod is replaced: when it lacks a key that a workload references, or when its content
 * does not match its hash. The version is read from the API server only when the live config has other content.
 */
export async function preflight(
  context: ControllerContext,
  observed: ObservedGroup,
  rollout: ObservedRollout,
  signal: AbortSignal,
): Promise<RolloutState['preflight']> {
  const wanted = wantedVersion(rollout.state);
  if (wanted === undefined || wanted.object === rollout.state.current?.object) return undefined;
  if (wanted.object === rollout.state.running?.target.object) return undefined;
  const { kind, name } = rollout.rollout.spec.config;
  const live = originalOf(context.cluster, rollout.rollout);
  const keys =
    live?.hash === wanted.contentHash ? live.keys : await keysOfVersion(context, rollout, wanted, signal);
  if (keys === undefined) {
    const message = `Version ${wanted.name} was modified (content hash differs); activation refused`;
    return { reason: 'VersionModified', message };
  }
  const data = Object.fromEntries([...keys].map((key) => [key, '']));
  for (const { workload } of observed.workloads) {
    const [missing] = missingKeys(workload.references, (reference) => {
      const config = observed.configOf(reference.kind, reference.name);
      return reference.kind === kind && config === name ? { data } : undefined;
    });
    if (missing === undefined) continue;
    const names = missing.keys.map((key) => JSON.stringify(key)).join(', ');
    const message = `Version ${wanted.name} has no key ${names}, which ${workload.kind} ${workload.name} references`;
    return { reason: 'KeyMissing', message };
  }
  return undefined;
}

/** Returns undefined when the content was modified. */
async function keysOfVersion(
  { client }: ControllerContext,
  { rollout }: ObservedRollout,
  version: { name: string; object: string; contentHash: string },
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const { kind } = rollout.spec.config;
  const where = { namespace: rollout.metadata.namespace ?? '', name: version.object };
  const body = await client.get<ConfigBody>(configResources[kind], where, { signal });
  const type = kind === 'Secret' ? body.metadata.annotations?.[annotations.originalType] : undefined;
  if (contentHash({ ...body, type }) !== version.contentHash) return undefined;
  return new Set([...Object.keys(body.data ?? {}), ...Object.keys(body.binaryData ?? {})]);
}
