import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';
import { type RolloutState, wantedVersion } from '../../core/activation/rollout-state.ts';
import type { VersionRef } from '../../core/activation/types.ts';
import { missingKeys, splitMissingKeys } from '../../core/references/preflight.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { originalOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { ObservedGroup, ObservedRollout } from './observe.ts';

export interface Preflight {
  /** Why the version cannot be activated. */
  problem: RolloutState['preflight'];
  warnings: string[];
}

const passed: Preflight = { problem: undefined, warnings: [] };

/**
 * Rejects a version before any pod is replaced: when it lacks a key that a workload references and the current version
 * has, or when its content does not match its hash. Versions are read from the API server only when the live config has
 * other content, or when keys are missing.
 */
export async function preflight(
  context: ControllerContext,
  observed: ObservedGroup,
  rollout: ObservedRollout,
  signal: AbortSignal,
): Promise<Preflight> {
  const { state } = rollout;
  const wanted = wantedVersion(state);
  if (wanted === undefined) return passed;
  const isDecided = [state.current?.object, state.running?.target.object].includes(wanted.object);
  const live = originalOf(context.cluster, rollout.rollout);
  const isLive = live !== undefined && live.hash === hashOf(rollout, wanted);
  if (isDecided && !isLive) return passed;
  const keys = isLive ? live.keys : await keysOfVersion(context, rollout, wanted, signal);
  if (keys === undefined) {
    const message = `Version ${wanted.name} was modified (content hash differs); activation refused`;
    return { problem: { reason: 'VersionModified', message }, warnings: [] };
  }
  const missing = missingByWorkload(observed, rollout, keys);
  if (missing.length === 0) return passed;
  const before = isDecided
    ? new Set<string>()
    : state.current && (await keysOfVersion(context, rollout, state.current, signal));
  const warnings: string[] = [];
  for (const { workload, lacking } of missing) {
    const hasPods = workload.observed.desired > 0 || workload.observed.replicas > 0;
    const { fatal, tolerated } = splitMissingKeys(lacking, hasPods, before && ((key) => before.has(key)));
    if (fatal.length > 0)
      return {
        problem: { reason: 'KeyMissing', message: missingText(wanted.name, fatal, workload) },
        warnings,
      };
    warnings.push(missingText(wanted.name, tolerated, workload));
  }
  return { problem: undefined, warnings };
}

function missingByWorkload(
  { workloads, configOf }: ObservedGroup,
  { rollout }: ObservedRollout,
  keys: ReadonlySet<string>,
): { workload: Workload; lacking: string[] }[] {
  const { kind, name } = rollout.spec.config;
  const data = Object.fromEntries([...keys].map((key) => [key, '']));
  return workloads.flatMap(({ workload, state }) => {
    // It keeps its versions.
    if (state.pin !== undefined) return [];
    const found = missingKeys(workload.references, (reference) => {
      const config = configOf(reference.kind, reference.name);
      return reference.kind === kind && config === name ? { data } : undefined;
    });
    const lacking = [...new Set(found.flatMap((each) => each.keys))];
    return lacking.length === 0 ? [] : [{ workload, lacking }];
  });
}

function missingText(version: string, keys: readonly string[], { kind, name }: Workload): string {
  const names = keys.map((key) => JSON.stringify(key)).join(', ');
  return `Version ${version} has no key ${names}, which ${kind} ${name} references`;
}

/** Returns undefined when the content was modified. */
async function keysOfVersion(
  { client }: ControllerContext,
  observed: ObservedRollout,
  version: VersionRef,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const { metadata, spec } = observed.rollout;
  const { kind } = spec.config;
  const where = { namespace: metadata.namespace ?? '', name: version.object };
  const body = await client.get<ConfigBody>(configResources[kind], where, { signal });
  const type = kind === 'Secret' ? body.metadata.annotations?.[annotations.originalType] : undefined;
  if (contentHash({ ...body, type }) !== hashOf(observed, version)) return undefined;
  return new Set([...Object.keys(body.data ?? {}), ...Object.keys(body.binaryData ?? {})]);
}

/** Undefined for a version that was deleted while its activation is in progress. */
function hashOf({ state }: ObservedRollout, { object }: VersionRef): string | undefined {
  return state.versions.find((version) => version.object === object)?.contentHash;
}
