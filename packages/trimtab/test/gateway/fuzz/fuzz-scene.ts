import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations } from '../../../src/api/names.ts';
import type { JsonSchema } from '../../../src/gateway/route/route.ts';
import { podToken } from '../support/pod-token.ts';
import { VersionsScene } from '../support/versions-scene.ts';

/** Configs of every kind that a route treats differently. */
const configs = ['locked', 'auto', 'unmanaged', 'missing'];
const versions = ['1.0.0', '1.1', 'missing'];

export interface FuzzScene {
  scene: VersionsScene;
  /** Names that exist in the scene. */
  names: FuzzNames;
  /** Of a user with the role edit. */
  userToken: string;
  /** Of a pod whose spec names all configs. */
  podToken: string;
}

export interface FuzzNames {
  namespace: string;
  /** The objects that hold the current versions. */
  objects: readonly string[];
}

/** A gateway in front of a cluster with managed and unmanaged configs, for requests that a fuzzer generates. */
export async function startFuzzScene(): Promise<FuzzScene> {
  const scene = await VersionsScene.start();
  const objects: string[] = [];
  for (const [plural, data] of [
    ['configmaps', { data: { color: 'blue' } }],
    ['secrets', { stringData: { password: 'hunter2' } }],
  ] as const) {
    const create = async (path: string, metadata: object) => {
      const { status, text, json } = await scene.as('alice', 'POST', path, { metadata, ...data });
      if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${text}`);
      const object: string | undefined = json.metadata.annotations?.[annotations.object];
      if (object !== undefined) objects.push(object);
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
  return {
    scene,
    names: { namespace: scene.namespace, objects },
    userToken: await scene.gateway.tokenOf(scene.identityOf('alice')),
    podToken: await podToken(
      scene.client,
      await scene.client.create<KubeObject>(pods, podOf(scene.namespace)),
    ),
  };
}

function podOf(namespace: string): KubeObject {
  const volumes = configs.flatMap((name) => [
    { name: `c-${name}`, configMap: { name } },
    { name: `s-${name}`, secret: { secretName: name } },
  ]);
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'fuzzed', namespace },
    spec: {
      volumes,
      containers: [{ name: 'app', image: 'busybox', volumeMounts }],
      terminationGracePeriodSeconds: 0,
    },
  };
  return pod;
}

/** A pod reads current versions and acknowledges them. Nobody else acknowledges. */
export const pathsOfPods = /\/current(\/ack)?$/;

/** A watch ends when its client ends it, so other tests open them. */
const ofWatches = ['watch', 'allowWatchBookmarks', 'resourceVersion', 'timeoutSeconds'];

type Parameter = JsonSchema & { name: string; in: string };
interface Body {
  content: Record<string, { schema: { properties?: Record<string, JsonSchema> } }>;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: Body;
}

type Schemas = Record<string, { properties?: { metadata?: { properties: Record<string, JsonSchema> } } }>;

/** The OpenAPI document with the names that exist in the scene, which random values would hardly ever be. */
export function withNamesOf(document: JsonSchema, { namespace, objects }: FuzzNames): JsonSchema {
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
    object: mostly(objects),
    wait: mostly(['1ms']),
  };
  const known = (parameter: Parameter): Parameter => {
    const schema = values[parameter.name];
    return schema === undefined ? parameter : { ...parameter, schema: { ...schema, minLength: 1 } };
  };
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  const { schemas, ...components } = document['components'] as { schemas: Schemas };
  return {
    ...document,
    paths: mapValues(paths, (item) =>
      mapValues(item, (operation) => ({
        ...operation,
        parameters: operation.parameters?.filter(({ name }) => !ofWatches.includes(name)).map(known),
        ...(operation.requestBody && { requestBody: withKnown(operation.requestBody, values) }),
      })),
    ),
    components: { ...components, schemas: mapValues(schemas, (schema) => withNames(schema, values)) },
  };
}

/** An acknowledgement names the object of a version, and an activation names a version. */
function withKnown({ content, ...body }: Body, values: Record<string, JsonSchema>): Body {
  return {
    ...body,
    content: mapValues(content, ({ schema }) => {
      const { properties } = schema;
      if (properties === undefined) return { schema };
      const known = Object.entries(properties).map(([key, each]) => [key, values[key] ?? each]);
      return { schema: { ...schema, properties: Object.fromEntries(known) } };
    }),
  };
}

/** The metadata of a config in a body has the same names. */
function withNames(schema: Schemas[string], values: Record<string, JsonSchema>): JsonSchema {
  const metadata = schema.properties?.metadata;
  if (metadata?.properties?.['namespace'] === undefined || !('labels' in metadata.properties)) return schema;
  const properties = { ...metadata.properties };
  for (const key of ['namespace', 'name']) properties[key] = { anyOf: [values[key] ?? {}, { type: 'null' }] };
  properties['version'] = { anyOf: [{ enum: versions }, properties['version'] ?? {}] };
  return { ...schema, properties: { ...schema.properties, metadata: { ...metadata, properties } } };
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
