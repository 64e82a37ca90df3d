import { ownLabels, systemNamespace } from '../../api/names.ts';
import type { KubeObject } from '../../api/wire.ts';
import { serviceAccountName } from './installation.ts';

/** Where the controller lives, and who it is. */
export function controllerIdentity(): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace, labels: ownLabels } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: serviceAccountName, namespace: systemNamespace, labels: ownLabels },
    },
  ];
}
