/** OpenAPI definitions by name, as an API server serves them under /openapi/v3. */
export type Definitions = Record<string, unknown>;

/**
 * Returns the definitions that these kinds need, without descriptions. An API server needs the names, types and merge
 * keys; the descriptions are text of Kubernetes and are not copied.
 */
export function trimSchemas(all: Definitions, kinds: readonly string[]): Definitions {
  const wanted = new Set<string>();
  const open = kinds.map((kind) => definitionOf(all, kind));
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (wanted.has(name)) continue;
    wanted.add(name);
    open.push(...referencesOf(all[name]));
  }
  return Object.fromEntries([...wanted].sort().map((name) => [name, withoutProse(all[name])]));
}

/** `apps/v1/Deployment` → `io.k8s.api.apps.v1.Deployment`, by the group, version and kind in each definition. */
function definitionOf(all: Definitions, kind: string): string {
  const [version = '', name = ''] = [
    kind.slice(0, kind.lastIndexOf('/')),
    kind.slice(kind.lastIndexOf('/') + 1),
  ];
  const [group, apiVersion] = version.includes('/') ? version.split('/') : ['', version];
  for (const [definition, schema] of Object.entries(all)) {
    const types = (schema as { 'x-kubernetes-group-version-kind'?: GroupVersionKind[] })[
      'x-kubernetes-group-version-kind'
    ];
    // DeleteOptions and Status list every group, so the name of the definition must match as well.
    const isIt = types?.some(
      (type) => type.group === group && type.version === apiVersion && type.kind === name,
    );
    if (isIt && definition.endsWith(`.${name}`)) return definition;
  }
  throw new Error(`the API server has no OpenAPI definition of ${kind}`);
}

interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

function referencesOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(referencesOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string'
      ? [value.slice(value.lastIndexOf('/') + 1)]
      : referencesOf(value),
  );
}

function withoutProse(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutProse);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema)
    // A property can be named 'description'; its value is then a schema and not a string.
    .filter(([key, value]) => !(key === 'description' && typeof value === 'string'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutProse(value)]));
}
