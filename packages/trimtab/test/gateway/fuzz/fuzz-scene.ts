import type { JsonSchema } from '../../../src/gateway/route/route.ts';
import { VersionsScene } from '../support/versions-scene.ts';

/** Configs of every kind that a route treats differently. */
const configs = ['locked', 'auto', 'unmanaged', 'missing'];
const versions = ['1.0.0', '1.1', 'missing'];

/** A gateway in front of a cluster with managed and unmanaged configs, for requests that a fuzzer generates. */
export async function startFuzzScene(): Promise<VersionsScene> {
  const scene = await VersionsScene.start();
  for (const [plural, data] of [
    ['configmaps', { data: { color: 'blue' } }],
    ['secrets', { stringData: { password: 'hunter2' } }],
  ] as const) {
    const create = async (path: string, metadata: object) => {
      const { status, text } = await scene.as('alice', 'POST', path, { metadata, ...data });
      if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${text}`);
    };
    await create(plural, { name: 'locked', version: '1.0.0' });
    await create(plural, {
      name: 'auto',
      version: '1.0.0',
      annotations: { 'trimtab.dev/release': 'auto' },
    });
    await create(plural, { name: 'unmanaged' });
    for (const name of ['locked', 'auto']) await create(`${plural}/${name}/1.1`, {});
  }
  return scene;
}

/** A watch ends when its client ends it, so other tests open them. */
const ofWatches = ['watch', 'allowWatchBookmarks', 'resourceVersion', 'timeoutSeconds'];

type Parameter = JsonSchema & { name: string; in: string };
type Schemas = Record<string, { properties?: { metadata?: { properties: Record<string, JsonSchema> } } }>;

/** The OpenAPI document with the names that exist in the scene, which random values would hardly ever be. */
export function withNamesOf(document: JsonSchema, namespace: string): JsonSchema {
  const mostly = (some: readonly string[]): JsonSchema => {
    const known = { enum: some };
    return { anyOf: [known, known, known, { type: 'string' }] };
  };
  const values: Record<string, JsonSchema> = {
    namespace: { enum: [namespace] },
    name: mostly(configs),
    version: mostly(versions),
    segment: mostly([...configs, '2.0']),
    a: mostly([...versions, 'current']),
    b: mostly([...versions, 'current']),
  };
  const known = (parameter: Parameter): Parameter => {
    const schema = parameter.in === 'path' ? values[parameter.name] : undefined;
    return schema === undefined ? parameter : { ...parameter, schema: { ...schema, minLength: 1 } };
  };
  const paths = document['paths'] as Record<string, Record<string, { parameters?: Parameter[] }>>;
  const { schemas, ...components } = document['components'] as { schemas: Schemas };
  return {
    ...document,
    paths: mapValues(paths, (item) =>
      mapValues(item, (operation) => ({
        ...operation,
        parameters: operation.parameters?.filter(({ name }) => !ofWatches.includes(name)).map(known),
      })),
    ),
    components: { ...components, schemas: mapValues(schemas, (schema) => withNames(schema, values)) },
  };
}

/** The metadata of a config in a body has the same names. */
function withNames(schema: Schemas[string], values: Record<string, JsonSchema>): JsonSchema {
  const metadata = schema.properties?.metadata;
  if (metadata?.properties?.['namespace'] === undefined || !('labels' in metadata.properties)) return schema;
  const properties = { ...metadata.properties };
  for (const key of ['namespace', 'name']) properties[key] = values[key] ?? {};
  properties['version'] = { anyOf: [{ enum: versions }, properties['version'] ?? {}] };
  return { ...schema, properties: { ...schema.properties, metadata: { ...metadata, properties } } };
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
