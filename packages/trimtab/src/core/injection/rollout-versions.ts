import type { ConfigRollout } from '../../api/config-rollout.ts';
import { mayBeVersionOf } from '../version/object-names.ts';
import { firstVersionName } from '../version/version-name.ts';
import type { Versions } from './managed-configs.ts';

/** The current versions of all configs with a rollout. A name of any version stands for its config. */
export function rolloutVersions(rollouts: readonly Pick<ConfigRollout, 'spec' | 'status'>[]): Versions {
  return (kind, name) => {
    const ofKind = rollouts.filter(({ spec }) => spec.config.kind === kind);
    const rollout =
      ofKind.find(({ spec }) => spec.config.name === name) ??
      ofKind.find(({ status }) => status?.current?.object === name) ??
      ofKind.find(({ spec }) => mayBeVersionOf(spec.config.name, name));
    const current = rollout?.status?.current;
    if (rollout === undefined || current === undefined) return undefined;
    return { config: rollout.spec.config.name, version: current.version, object: current.object };
  };
}

/** Without a cluster: the configs themselves are mounted. The webhook assigns versions when pods are created. */
export const liveVersions: Versions = (_, name) => ({
  config: name,
  version: firstVersionName,
  object: name,
});
