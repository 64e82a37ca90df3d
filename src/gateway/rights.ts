import { configRolloutResource } from '../api/config-rollout.ts';

/** A rule of a role, as RBAC writes it. */
export interface GatewayRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/**
 * The least that the gateway's own identity needs in the namespaces that it serves, each for a reason. None of it is
 * ever lent to a person.
 */
export function gatewayRights({ secrets }: { secrets: boolean }): GatewayRule[] {
  const { group, plural } = configRolloutResource;
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
export const gatewayClusterRights: readonly GatewayRule[] = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
];

function rule(group: string, resources: string[], verbs: string[]): GatewayRule {
  return { apiGroups: [group], resources, verbs };
}
