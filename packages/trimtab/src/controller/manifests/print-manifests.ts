import type { KubeObject } from '@trimtab/kube/wire.ts';
import { stringify } from 'yaml';
import { ownLabels } from '../../api/names.ts';
import { controllerRights } from './controller-rights.ts';
import { customResourceDefinitions } from './custom-resource-definition.ts';
import { guardLedger } from './guard-ledger.ts';
import { guardLocked } from './guard-locked.ts';
import { guardRollouts } from './guard-rollouts.ts';
import { guardVersions } from './guard-versions.ts';
import { type Installation, installation, type ManifestOptions, serviceAccountName } from './installation.ts';
import { movePolicy } from './move-policy.ts';
import { guardPods, podPolicies } from './pod-policies.ts';
import { userRoles } from './user-roles.ts';
import { webhookConfiguration } from './webhook-configuration.ts';

/** Prints all objects that must exist before the controller starts, and `more`, in an order that can be applied. */
export function printManifests(options: ManifestOptions, more: readonly KubeObject[] = []): string {
  const names = installation(options);
  const objects: KubeObject[] = [
    ...customResourceDefinitions(),
    ...controllerIdentity(names),
    ...controllerRights(options),
    ...userRoles(options),
    ...guardVersions(names),
    ...guardLedger(names),
    ...guardRollouts(names),
    ...guardLocked('ConfigMap', names),
    ...guardLocked('Secret', names),
    ...guardPods(names, options),
    ...(options.mutatingPolicies ? [...movePolicy(names), ...podPolicies(names)] : []),
    ...(options.webhook === false ? [] : webhookConfiguration(options)),
    ...more,
  ];
  return objects
    .map((object) => `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })}`)
    .join('');
}

/** The namespace and the ServiceAccount of the controller. */
function controllerIdentity({ homeNamespace }: Installation): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: homeNamespace, labels: ownLabels } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: serviceAccountName, namespace: homeNamespace, labels: ownLabels },
    },
  ];
}
