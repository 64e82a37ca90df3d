import type { Kind } from '../kinds/kind.ts';
import { subresourcesOf } from '../verbs/subresources.ts';

/** A resource or subresource in discovery. */
interface ApiResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  group?: string;
  version?: string;
  kind: string;
  verbs: readonly string[];
  shortNames?: readonly string[];
  categories?: readonly string[];
  storageVersionHash?: string;
}

/** `/api/v1` and `/apis/GROUP/VERSION`. */
export function apiResourceList(groupVersion: string, kinds: readonly Kind[]): object {
  const resources = kinds.flatMap(resourcesOf);
  if (kinds.every(({ custom }) => custom === undefined)) resources.sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    kind: 'APIResourceList',
    ...(groupVersion !== 'v1' && { apiVersion: 'v1' }),
    groupVersion,
    resources,
  };
}

function resourcesOf(kind: Kind): ApiResource[] {
  const { plural, singular, namespaced, verbs, shortNames, categories, storageVersionHash } = kind;
  const own: ApiResource = {
    name: plural,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(storageVersionHash !== undefined && { storageVersionHash }),
  };
  const deeper = subresourcesOf(kind).map(
    ({ name, kind: type, group, version, verbs: allowed }): ApiResource => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced,
      ...(group !== undefined && { group }),
      ...(version !== undefined && { version }),
      kind: type,
      verbs: allowed,
    }),
  );
  return [own, ...deeper];
}
