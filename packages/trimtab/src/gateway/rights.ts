import { configRollouts } from '../api/config-rollout.ts';
import { reloadReports } from '../api/reload-report.ts';
import { type Rule, rule } from '../core/installation/rights.ts';

/**
 * The minimal permissions of the gateway's own ServiceAccount in the namespaces that it serves. Requests of persons
 * never use them.
 */
export function gatewayRights({ secrets }: { secrets: boolean }): Rule[] {
  const { group, plural } = configRollouts;
  return [
    // Which version applies. One watch serves any number of streams.
    rule(group, [plural], ['list', 'watch']),
    // Which configs a pod's spec references, and when the pod is deleted.
    rule('', ['pods'], ['get', 'list', 'watch']),
    // Which versions the workload of a reloaded pod is assigned, and what its agents report.
    rule('apps', ['deployments', 'statefulsets', 'daemonsets'], ['list', 'watch']),
    rule(group, [reloadReports.plural], ['create', 'patch']),
    // The versions that pods read, and changes of unmanaged configs.
    rule('', ['configmaps', ...(secrets ? ['secrets'] : [])], ['get', 'list', 'watch']),
  ];
}

/** A TokenReview tells which pod a token belongs to. TokenReviews are cluster-scoped. */
export const gatewayClusterRights: Rule[] = [rule('authentication.k8s.io', ['tokenreviews'], ['create'])];
