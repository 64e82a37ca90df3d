import { configResources } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

/** A ConfigMap or Secret that the agent writes to files. */
export interface ConfigRef {
  kind: 'ConfigMap' | 'Secret';
  namespace: string;
  name: string;
}

/** One observed state of a config. */
export interface Config extends ConfigRef {
  uid: string;
  resourceVersion: string;
  /** The decoded content, by key. */
  entries: ReadonlyMap<string, Buffer>;
  /** From the gateway: the name of the version, such as `1.0.3`. */
  version?: string;
  /** From the gateway: the name of the ConfigMap or Secret that holds the version. */
  object?: string;
}

interface ConfigObject extends KubeObject {
  data?: Record<string, string> | null;
  binaryData?: Record<string, string> | null;
}

/** `configmap production/prometheus`, as messages name it. */
export function displayName({ kind, namespace, name }: ConfigRef): string {
  return `${kind.toLowerCase()} ${namespace}/${name}`;
}

export function configOf(ref: ConfigRef, object: KubeObject): Config {
  const { data, binaryData } = object as ConfigObject;
  const entries = new Map<string, Buffer>();
  const encoding = ref.kind === 'Secret' ? 'base64' : 'utf8';
  for (const [key, text] of Object.entries(data ?? {})) entries.set(key, Buffer.from(text, encoding));
  for (const [key, text] of Object.entries(binaryData ?? {})) entries.set(key, Buffer.from(text, 'base64'));
  const { uid = '', resourceVersion = '' } = object.metadata;
  return { ...ref, uid, resourceVersion, entries };
}

/** The rule of an RBAC Role that lets the agent read exactly these configs. */
export interface RoleRule {
  apiGroups: string[];
  resources: string[];
  resourceNames: string[];
  verbs: string[];
}

/** One rule for each namespace and kind. */
export function roleRules(refs: readonly ConfigRef[]): Map<string, RoleRule[]> {
  const byNamespace = new Map<string, RoleRule[]>();
  for (const kind of ['ConfigMap', 'Secret'] as const) {
    for (const { namespace, name } of refs.filter((ref) => ref.kind === kind)) {
      const rules = byNamespace.get(namespace) ?? [];
      byNamespace.set(namespace, rules);
      const { plural } = configResources[kind];
      const known = rules.find(({ resources }) => resources.includes(plural));
      if (known === undefined)
        rules.push({
          apiGroups: [''],
          resources: [plural],
          resourceNames: [name],
          verbs: ['get', 'watch'],
        });
      else if (!known.resourceNames.includes(name)) known.resourceNames.push(name);
    }
  }
  return byNamespace;
}
