import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { clusterRole, rule } from '../../core/installation/rights.ts';

/**
 * Adds ConfigRollouts to the roles that clusters give to people. Who may edit them may still activate only what
 * they could have edited: a guard asks for `update` on the config.
 */
export function userRoles(): KubeObject[] {
  const { group, plural } = configRollouts;
  const aggregatedTo = (...roles: string[]) =>
    Object.fromEntries(roles.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']));
  return [
    clusterRole(
      'trimtab-view',
      [rule(group, [plural, `${plural}/status`], ['get', 'list', 'watch'])],
      aggregatedTo('view', 'edit', 'admin'),
    ),
    clusterRole(
      'trimtab-edit',
      [rule(group, [plural], ['create', 'update', 'patch', 'delete', 'deletecollection'])],
      aggregatedTo('edit', 'admin'),
    ),
  ];
}
