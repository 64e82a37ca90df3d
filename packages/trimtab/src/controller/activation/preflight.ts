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
  versionNotMountable,
} from '../../core/activation/check-version.ts';
import { type RolloutState, wantedVersion } from '../../core/activation/rollout-state.ts';
import type { VersionRef } from '../../core/activation/types.ts';
import type { ConfigOf } from '../../core/references/assignment.ts';
import { type Reference, writtenName } from '../../core/references/references.ts';
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
 * has, when its content does not match its hash, or when the ServiceAccount of a workload does not allow the Secret. Versions are read from the API server only when the live config has
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
  const refused = isDecided ? undefined : notMountableBy(context, observed, rollout, wanted);
  if (refused !== undefined) return { problem: refused, warnings: [] };
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

/** Why Kubernetes would refuse the pods of a workload with this version of a Secret. */
function notMountableBy(
  { mountableSecrets }: ControllerContext,
  observed: ObservedGroup,
  rollout: ObservedRollout,
  { name, object }: VersionRef,
): RolloutState['preflight'] {
  if (rollout.rollout.spec.config.kind !== 'Secret') return undefined;
  const found = observed.workloads.find(
    ({ workload, state, configOf }) =>
      takesVersion(state) &&
      !mountableSecrets.allows(workload, referencesTo(rollout, workload.references, configOf), object),
  );
  if (found === undefined) return undefined;
  const { kind, name: workload, serviceAccount } = found.workload;
  return versionNotMountable(name, { kind, name: workload }, serviceAccount, rollout.state.config);
}

function referencesTo(
  { rollout }: ObservedRollout,
  references: readonly Reference[],
  configOf: ConfigOf,
): Reference[] {
  const { kind, name } = rollout.spec.config;
  return references.filter((each) => each.kind === kind && configOf(each.kind, writtenName(each)) === name);
}

function usersOf({ workloads, configOf }: ObservedGroup, rollout: ObservedRollout): VersionUser[] {
  return workloads
    .filter(({ state }) => takesVersion(state))
    .map(({ workload }) => ({
      workload,
      references: referencesTo(rollout, workload.references, configOf),
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
