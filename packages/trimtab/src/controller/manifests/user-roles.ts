import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { reloadReports } from '../../api/reload-report.ts';
import { type Call, callerNeeds } from '../../core/installation/caller-needs.ts';
import { clusterRole, type Rule, rule } from '../../core/installation/rights.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import type { ManifestOptions } from './installation.ts';

/**
 * Adds ConfigRollouts to the aggregated roles view, edit and admin, and defines roles for users who may only read
 * versions, or only release them. A user with these roles can still activate versions only of configs that they may
 * update: an admission policy checks that.
 */
export function userRoles({ secrets = true }: Pick<ManifestOptions, 'secrets'>): KubeObject[] {
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
    ...callerRoles('ConfigMap'),
    ...(secrets ? callerRoles('Secret') : []),
  ];
}

/** For CI and people: bind them in a namespace. */
function callerRoles(kind: ConfigKind): KubeObject[] {
  const reads: Call[] = ['readCurrent', 'readVersion', 'listVersions', 'diffVersions'];
  const releases: Call[] = [...reads, 'createConfig', 'addVersion', 'editConfig', 'activate'];
  const prefix = kind === 'Secret' ? 'trimtab-secret' : 'trimtab';
  return [
    clusterRole(`${prefix}-reader`, rulesFor(kind, reads)),
    clusterRole(`${prefix}-releaser`, rulesFor(kind, releases)),
  ];
}

/** One rule for each resource, with all verbs that these calls need. */
function rulesFor(kind: ConfigKind, calls: readonly Call[]): Rule[] {
  const needs = callerNeeds(kind);
  const all = calls.flatMap((call) => needs[call].needs);
  const byResource = Map.groupBy(all, ({ group, resource }) => `${group}/${resource}`);
  return [...byResource.values()].map((its) => {
    const { group = '', resource = '' } = its[0] ?? {};
    return rule(group, [resource], [...new Set(its.map(({ verb }) => verb))]);
  });
}
