import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigKey } from '../references/config-key.ts';
import { missingKeys, splitMissingKeys } from '../references/preflight.ts';
import type { ConfigKind, Reference } from '../references/references.ts';
import { type ConfigContent, contentHash } from '../version/content-hash.ts';
import { notMountable } from '../workload/mountable-secrets.ts';
import type { RolloutState } from './rollout-state.ts';
import type { WorkloadState } from './types.ts';

// What is checked before an activation begins. The controller and the preview share it.

/** A workload that takes the version, with its references to the config. */
export interface VersionUser {
  workload: { kind: string; name: string };
  references: readonly Reference[];
  hasPods: boolean;
}

interface MissingFromUser extends VersionUser {
  keys: string[];
}

/** Returns the keys of a version; undefined when its content is not what the version was created with. */
export function keysOfUnmodified(
  kind: ConfigKind,
  body: ConfigBody,
  hash: string | undefined,
): ReadonlySet<string> | undefined {
  const type = kind === 'Secret' ? body.metadata.annotations?.[annotations.originalType] : undefined;
  if (contentHash({ ...body, type }) !== hash) return undefined;
  return keysOf(body);
}

export function keysOf({ data = {}, binaryData = {} }: ConfigContent): ReadonlySet<string> {
  return new Set([...Object.keys(data), ...Object.keys(binaryData)]);
}

export function versionModified(version: string): NonNullable<RolloutState['preflight']> {
  const message = `Version ${version} was modified (content hash differs); activation refused`;
  return { reason: 'VersionModified', message };
}

/** Why Kubernetes would refuse the pods of a workload with a version of this Secret. */
export function versionNotMountable(
  version: string,
  workload: VersionUser['workload'],
  serviceAccount: string,
  secret: ConfigKey,
): NonNullable<RolloutState['preflight']> {
  const message = `Version ${version} cannot be used by ${workload.kind} ${workload.name}: ${notMountable(serviceAccount, secret)}`;
  return { reason: 'SecretNotMountable', message };
}

/** Whether the version was checked when its activation began. Its keys are compared again, and only warned of. */
export function isChecked(
  { current, running }: Pick<RolloutState, 'current' | 'running'>,
  object: string,
): boolean {
  return [current?.object, running?.target.object].includes(object);
}

/** A pinned workload keeps its versions. */
export function takesVersion({ pin }: Pick<WorkloadState, 'pin'>): boolean {
  return pin === undefined;
}

export function hasPods({ desired, replicas }: WorkloadState['observed']): boolean {
  return desired > 0 || replicas > 0;
}

/** The keys that the version lacks and a template references, by workload. */
export function missingByUser(users: readonly VersionUser[], keys: ReadonlySet<string>): MissingFromUser[] {
  const data = Object.fromEntries([...keys].map((key) => [key, '']));
  return users.flatMap((user) => {
    const found = missingKeys(user.references, () => ({ data }));
    const missing = [...new Set(found.flatMap((each) => each.keys))];
    return missing.length === 0 ? [] : [{ ...user, keys: missing }];
  });
}

/**
 * Says which missing keys refuse the activation, and which are only worth a warning. `before` are the keys of the current
 * version; undefined when there is none to compare with.
 */
export function judgeMissingKeys(
  version: string,
  missing: readonly MissingFromUser[],
  before: ReadonlySet<string> | undefined,
): { problems: string[]; warnings: string[] } {
  const split = missing.map((user) => ({
    user,
    ...splitMissingKeys(user.keys, user.hasPods, before && ((key) => before.has(key))),
  }));
  const text = ({ workload }: VersionUser, keys: readonly string[]) =>
    keys.length === 0
      ? []
      : `Version ${version} has no key ${keys.map((key) => JSON.stringify(key)).join(', ')}, which ${workload.kind} ${workload.name} references`;
  return {
    problems: split.flatMap(({ user, fatal }) => text(user, fatal)),
    warnings: split.flatMap(({ user, tolerated }) => text(user, tolerated)),
  };
}
