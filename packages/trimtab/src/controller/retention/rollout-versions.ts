import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { KeptVersion } from '../../core/retention/retention.ts';
import { needsVersion } from '../../core/retention/retention-needs.ts';
import { versionHead } from '../../core/version/version-head.ts';
import type { ConfigHead } from '../picture/configs.ts';
import type { Picture } from '../picture/picture.ts';
import { usersOf, versionUsers } from '../version/version-users.ts';

/** A version with all that retention goes by, and the state of it that was seen. */
export interface ObservedVersion extends KeptVersion {
  name: string;
  head: ConfigHead;
  resourceVersion: string;
}

/** The versions of a rollout, as the picture has them now; a damaged one is nobody's to judge and is left out. */
export function observeVersions(picture: Picture, rollout: ConfigRollout): ObservedVersion[] {
  const { namespace = '', uid = '' } = rollout.metadata;
  const { kind, name: config } = rollout.spec.config;
  const cache = picture.heads[kind]?.cache;
  if (cache === undefined) return [];
  const found = [...cache.keysBy('versionOf', uid)].flatMap((key) => {
    const [head, resourceVersion] = [cache.get(key), cache.versionOf(key)];
    if (head === undefined || resourceVersion === undefined) return [];
    const version = versionHead(head);
    // Another namespace's rollout is none of its business, whatever its label says.
    if (version === undefined || head.deleting || head.namespace !== namespace) return [];
    return [{ head, version, resourceVersion, users: versionUsers(picture, head) }];
  });
  const records = found
    .flatMap(({ users }) => users.workloads.map((each) => each.annotations[annotations.assignment]))
    .join('\n');
  const isNeeded = needsVersion(rollout, {
    liveHash: picture.originals[kind]?.cache.get(`${namespace}/${config}`)?.hash,
    // Names of versions are unique: wherever a record mentions one, it is meant.
    isWayBack: (object) => records.includes(JSON.stringify(object)),
  });
  return found.map(({ head, version, resourceVersion, users }) => ({
    name: version.name,
    sequence: version.sequence,
    needed: isNeeded(version),
    users: usersOf(head, users),
    ownedByRollout: head.ownerReferences.some((owner) => owner.uid === uid),
    head,
    resourceVersion,
  }));
}
