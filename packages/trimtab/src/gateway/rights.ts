import { configRollouts } from '../api/config-rollout.ts';
import { type Rule, rule } from '../core/installation/rights.ts';

/**
 * The least that the gateway's own identity needs in the namespaces that it serves, each for a reason. None of it is
 * ever lent to a person.
 */
export function gatewayRights({ secrets }: { secrets: boolean }): Rule[] {
  const { group, plural } = configRollouts;
  return [
    // Which version applies: one watch, whatever the number of streams.
    rule(group, [plural], ['list', 'watch']),
    // Which configs a pod's spec names, and when the pod goes.
    rule('', ['pods'], ['get', 'list', 'watch']),
    // The versions that pods get, and hints that a config which nobody manages has changed.
    rule('', ['configmaps', ...(secrets ? ['secrets'] : [])], ['get', 'list', 'watch']),
  ];
}

/** What it needs cluster-wide by nature: who a pod's token belongs to. */
export const gatewayClusterRights: Rule[] = [rule('authentication.k8s.io', ['tokenreviews'], ['create'])];
