import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRolloutSchema, configRollouts } from '../../api/config-rollout.ts';
import { reloadReportSchema, reloadReports } from '../../api/reload-report.ts';
import type { Schema } from '../../api/schema.ts';

/** The CustomResourceDefinitions of Trimtab. `kubectl get configrollouts` shows the printer columns of ConfigRollout. */
export function customResourceDefinitions(): KubeObject[] {
  return [
    definition(configRollouts, configRolloutSchema, ['cfr'], {
      subresources: { status: {} },
      additionalPrinterColumns: [
        column('Config', '.spec.config.name'),
        column('Current', '.status.current.version'),
        column('Target', '.status.target.version'),
        column('Ready', readyField('status')),
        column('Updated', '.status.updated'),
        age,
        { ...column('Phase', '.status.phase'), priority: 1 },
        { ...column('Reason', readyField('reason')), priority: 1 },
        { ...column('Message', readyField('message')), priority: 1 },
      ],
    }),
    definition(reloadReports, reloadReportSchema, [], {
      additionalPrinterColumns: [
        column('Kind', '.spec.workload.kind'),
        column('Workload', '.spec.workload.name'),
        column('Gateway', '.spec.gateway'),
        age,
      ],
    }),
  ];
}

function definition(
  { group, version, kind, plural }: typeof configRollouts | typeof reloadReports,
  schema: Schema<unknown>,
  shortNames: string[],
  served: object,
): KubeObject & { spec: unknown } {
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
        ...(shortNames.length > 0 && { shortNames }),
        categories: ['trimtab'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...served,
          schema: { openAPIV3Schema: schema.openapi },
        },
      ],
    },
  };
}

function column(name: string, jsonPath: string, type = 'string'): object {
  return { name, type, jsonPath };
}

const age = column('Age', '.metadata.creationTimestamp', 'date');

function readyField(field: string): string {
  return `.status.conditions[?(@.type=="Ready")].${field}`;
}
