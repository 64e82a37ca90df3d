import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRolloutSchema, configRollouts } from '../../api/config-rollout.ts';

/** The CustomResourceDefinition of ConfigRollout. `kubectl get configrollouts` shows its printer columns. */
export function customResourceDefinition(): KubeObject & { spec: unknown } {
  const { group, version, kind, plural } = configRollouts;
  const column = (name: string, jsonPath: string, type = 'string') => ({ name, type, jsonPath });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: ['cfr'],
        categories: ['trimtab'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            column('Config', '.spec.config.name'),
            column('Current', '.status.current.version'),
            column('Target', '.status.target.version'),
            column('Ready', readyField('status')),
            column('Updated', '.status.updated'),
            column('Age', '.metadata.creationTimestamp', 'date'),
            { ...column('Phase', '.status.phase'), priority: 1 },
            { ...column('Reason', readyField('reason')), priority: 1 },
            { ...column('Message', readyField('message')), priority: 1 },
          ],
          schema: { openAPIV3Schema: configRolloutSchema.openapi },
        },
      ],
    },
  };
}

function readyField(field: string): string {
  return `.status.conditions[?(@.type=="Ready")].${field}`;
}
