import { namesFor } from '../../quotas/counted.ts';
import type { GroupResource, ResourceQuota } from '../../quotas/quota-object.ts';

const usual = ['pods', 'services', 'configmaps', 'secrets', 'resourcequotas', 'replicationcontrollers'].map(
  (plural) => ({ group: '', plural }),
);

/** The collections that a quota counts, derived from its resource names, for example `count/deployments.apps`. */
export function countedCollections({ spec }: Pick<ResourceQuota, 'spec'>): GroupResource[] {
  const names = Object.keys(spec.hard ?? {});
  const named = names.flatMap((name) => {
    const [, plural, group = ''] = /^count\/([^.]+)(?:\.(.+))?$/.exec(name) ?? [];
    return plural === undefined ? [] : [{ group, plural }];
  });
  const all = [...usual.filter((each) => namesFor(each, names).length > 0), ...named];
  return [...new Map(all.map((each) => [collectionName(each), each])).values()];
}

/** For example `deployments.apps`. */
export function collectionName({ group, plural }: GroupResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}
