import type { Resource } from '@trimtab/kube/resource.ts';
import { equal } from '../../apiserver/object.ts';
import type { ClusterRole } from '../../apiserver/rbac/roles.ts';
import type { ControllerFactory } from '../host/local-controller.ts';
import { aggregatedRules } from './aggregated-rules.ts';

const clusterRoles: Resource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};

/** Writes the combined rules into the `rules` field of each aggregated ClusterRole. */
export const clusterRoleAggregation: ControllerFactory = ({ client, informers }) => {
  const known = informers.of<ClusterRole>(clusterRoles);
  return {
    name: 'clusterrole-aggregation-controller',
    concurrency: 1,
    listen: (enqueue) => [
      // Every aggregated role may select the changed role.
      known.subscribe(() => {
        for (const { metadata, aggregationRule } of known.all())
          if (aggregationRule !== undefined) enqueue(metadata.name ?? '');
      }),
    ],
    async reconcile(name, signal) {
      const role = known.get(name);
      if (role?.aggregationRule === undefined) return undefined;
      const rules = aggregatedRules(role, known.all());
      if (!equal(rules, role.rules ?? [])) await client.update(clusterRoles, { ...role, rules }, { signal });
      return undefined;
    },
  };
};
