import type { KubeObject } from '@trimtab/kube/wire.ts';
import { stringify } from 'yaml';
import { controllerIdentity } from './controller-identity.ts';
import { controllerRights } from './controller-rights.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { guardLocked } from './guard-locked.ts';
import { guardRollouts } from './guard-rollouts.ts';
import { guardVersions } from './guard-versions.ts';
import type { ManifestOptions } from './installation.ts';
import { peopleRights } from './people-rights.ts';
import { webhookConfiguration } from './webhook-configuration.ts';

/** Everything that a cluster needs before the controller starts, and `more`, in the order in which it can be applied. */
export function printManifests(options: ManifestOptions, more: readonly KubeObject[] = []): string {
  const { namespace } = options;
  const objects: KubeObject[] = [
    customResourceDefinition(),
    ...controllerIdentity(),
    ...controllerRights(options),
    ...peopleRights(),
    ...guardVersions(namespace),
    ...guardRollouts(namespace),
    ...guardLocked('ConfigMap', namespace),
    ...guardLocked('Secret', namespace),
    ...(options.webhook === false ? [] : webhookConfiguration(options)),
    ...more,
  ];
  return objects
    .map((object) => `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })}`)
    .join('');
}
