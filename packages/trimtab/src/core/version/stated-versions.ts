import type { ConfigRollout } from '../../api/config-rollout.ts';
import { versionObjectName } from './object-names.ts';
import type { VersionMetadata } from './version-metadata.ts';

/**
 * The versions that the status of a rollout names, for a caller who may not list the versions themselves. Sequence and
 * hash only tell these versions apart.
 */
export function statedVersions({ metadata, spec, status }: ConfigRollout): VersionMetadata[] {
  const { kind, name: config } = spec.config;
  const { namespace = '', uid = '' } = metadata;
  const { current, target, observed } = status ?? {};
  const objects = new Map<string, string>();
  for (const named of [current, target]) if (named !== undefined) objects.set(named.version, named.object);
  for (const name of [observed?.liveVersion, spec.version])
    if (name !== undefined && name !== '' && !objects.has(name))
      objects.set(name, versionObjectName(config, uid, name));
  return [...objects].map(([name, object], index) => ({
    ...{ kind, namespace, config, name, object, uid: '', rolloutUid: uid },
    sequence: index + 1,
    contentHash: `unknown-${object}`,
    state: name === current?.version ? 'current' : 'not-current',
    currentCount: 0,
    inUse: false,
    rejected: undefined,
    madeByHand: false,
    ownerReferences: [],
  }));
}
