import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import {
  hasPods,
  isChecked,
  judgeMissingKeys,
  keysOfUnmodified,
  missingByUser,
  takesVersion,
  type VersionUser,
  versionModified,
} from '../../core/activation/check-version.ts';
import { type RolloutState, wantedVersion } from '../../core/activation/rollout-state.ts';
import type { VersionRef } from '../../core/activation/types.ts';
import { writtenName } from '../../core/references/references.ts';
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
  const isDecided = isChecked(state, wanted.object);
  const { live } = rollout;
  const isLive = live !== undefined && live.hash === hashOf(rollout, wanted);
  if (isDecided && !isLive) return passed;
  const keys = isLive ? live.keys : await keysOfVersion(context, rollout, wanted, signal);
  if (keys === undefined) return { problem: versionModified(wanted.name), warnings: [] };
  const missing = missingByUser(usersOf(observed, rollout), keys);
  if (missing.length === 0) return passed;
  const before = isDecided
    ? new Set<string>()
    : state.current && (await keysOfVersion(context, rollout, state.current, signal));
  const { problems, warnings } = judgeMissingKeys(wanted.name, missing, before);
  const [message] = problems;
  return { problem: message === undefined ? undefined : { reason: 'KeyMissing', message }, warnings };
}

function usersOf({ workloads, configOf }: ObservedGroup, { rollout }: ObservedRollout): VersionUser[] {
  const { kind, name } = rollout.spec.config;
  return workloads
    .filter(({ state }) => takesVersion(state))
    .map(({ workload }) => ({
      workload,
      references: workload.references.filter(
        (each) => each.kind === kind && configOf(each.kind, writtenName(each)) === name,
      ),
      hasPods: hasPods(workload.observed),
    }));
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
  return keysOfUnmodified(kind, body, hashOf(observed, version));
}

/** Undefined for a version that was deleted while its activation is in progress. */
function hashOf({ state }: ObservedRollout, { object }: VersionRef): string | undefined {
  return state.versions.find((version) => version.object === object)?.contentHash;
}
