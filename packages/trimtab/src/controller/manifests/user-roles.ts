import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { reloadReports } from '../../api/reload-report.ts';
import { clusterRole, rule } from '../../core/installation/rights.ts';

/**
 * Adds ConfigRollouts to the aggregated roles view, edit and admin. A user with these roles can still activate
 * versions only of configs that they may update: an admission policy checks that.
 */
export function userRoles(): KubeObject[] {
  const { group, plural } = configRollouts;
  const aggregatedTo = (...roles: string[]) =>
    Object.fromEntries(roles.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']));
  return [
    clusterRole(
      'trimtab-view',
      [rule(group, [plural, `${plural}/status`, reloadReports.plural], ['get', 'list', 'watch'])],
      aggregatedTo('view', 'edit', 'admin'),
    ),
    clusterRole(
      'trimtab-edit',
      [rule(group, [plural], ['create', 'update', 'patch', 'delete', 'deletecollection'])],
      aggregatedTo('edit', 'admin'),
    ),
  ];
}
