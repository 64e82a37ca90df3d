import type { StructuralSchema } from './structural-schema.ts';

const reference = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });

/** A definition's schema as /openapi/v3 shows it: with what every object has. */
export function openApiSchema(
  type: { group: string; version: string; kind: string },
  schema: StructuralSchema,
): object {
  return {
    ...schema,
    type: 'object',
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: reference('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    },
    'x-kubernetes-group-version-kind': [type],
  };
}
