import type { KubeClient } from '@trimtab/kube/client.ts';
import { servedKinds } from './kinds.ts';
import { type Definitions, trimSchemas } from './trim-schemas.ts';

/** Reads the schemas of all served kinds from a real API server. */
export async function fetchSchemas(client: KubeClient): Promise<Definitions> {
  const versions = new Set(servedKinds.map((kind) => kind.slice(0, kind.lastIndexOf('/'))));
  const documents = await Promise.all(
    [...versions].map((version) => {
      // Scale is a subresource; its schema is in the documents of the groups that use it, such as apps.
      const path = version.includes('/')
        ? `apis/${version.replace('autoscaling', 'apps')}`
        : `api/${version}`;
      return client.raw<{ components: { schemas: Definitions } }>({
        method: 'GET',
        path: `/openapi/v3/${path}`,
      });
    }),
  );
  return trimSchemas(
    Object.assign({}, ...documents.map(({ components }) => components.schemas)),
    servedKinds,
  );
}

/** Writes one definition per line, so that a new version of Kubernetes gives a readable diff. */
export function schemasText(schemas: Definitions): string {
  const lines = Object.entries(schemas).map(
    ([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}
