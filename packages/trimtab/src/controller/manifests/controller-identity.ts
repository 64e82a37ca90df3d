import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ownLabels, systemNamespace } from '../../api/names.ts';
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
