import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { subresourcesOf } from '../verbs/subresources.ts';

/** The kinds of each group version, in the order in which Kubernetes lists groups. */
export function groupVersions(registry: KindRegistry): Map<string, Kind[]> {
  const found = new Map<string, Kind[]>();
  for (const kind of registry.all()) {
    const list = found.get(apiVersionOf(kind));
    if (list === undefined) found.set(apiVersionOf(kind), [kind]);
    else list.push(kind);
  }
  return found;
}

function named(registry: KindRegistry): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { group, version } of registry.all()) {
    const versions = groups.get(group) ?? [];
    if (!versions.includes(version)) versions.push(version);
    groups.set(group, versions);
  }
  groups.delete('');
  return groups;
}

/** `/api` */
export function apiVersions(address: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** `/apis` */
export function apiGroupList(registry: KindRegistry): object {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...named(registry)].map(([name, of]) => group(name, of)),
  };
}

/** `/apis/GROUP`; undefined when the group does not exist. */
export function apiGroup(registry: KindRegistry, name: string): object | undefined {
  const versions = named(registry).get(name);
  return versions && { kind: 'APIGroup', apiVersion: 'v1', ...group(name, versions) };
}

function group(name: string, versions: readonly string[]): object {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: all, preferredVersion: all[0] };
}

/** Aggregated discovery, which newer clients request: `/api` for the core group, `/apis` for the others. */
export function groupDiscoveryList(
  registry: KindRegistry,
  which: 'core' | 'others',
  version: 'v2' | 'v2beta1',
): object {
  const groups: [string, string[]][] = which === 'core' ? [['', ['v1']]] : [...named(registry)];
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(([name, versions]) => ({
      metadata: { ...(name !== '' && { name }) },
      versions: versions.map((each) => ({
        version: each,
        resources: registry
          .all()
          .filter((kind) => kind.group === name && kind.version === each)
          .sort((a, b) => (a.plural < b.plural ? -1 : 1))
          .map(discovered),
        freshness: 'Current',
      })),
    })),
  };
}

/** Built-in kinds omit group and version, as the enclosing group has them. */
function typeOf({ custom, group: name, version }: Kind, kind: string): object {
  return custom === undefined ? { group: '', version: '', kind } : { group: name, version, kind };
}

function discovered(kind: Kind): object {
  const deeper = subresourcesOf(kind).map(({ name, kind: type, group: of = '', version = '', verbs }) => ({
    subresource: name,
    responseKind: { group: of, version, kind: type },
    verbs,
  }));
  return {
    resource: kind.plural,
    responseKind: typeOf(kind, kind.kind),
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
    ...(kind.categories.length > 0 && { categories: kind.categories }),
    ...(deeper.length > 0 && { subresources: deeper }),
  };
}
