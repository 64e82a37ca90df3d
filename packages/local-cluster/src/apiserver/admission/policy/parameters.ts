import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { KindRegistry } from '../../kinds/kind-registry.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import type { Parameters } from './invocations.ts';

/** Returns how to find the objects that policies can take as parameters. */
export function parametersIn(
  registry: KindRegistry,
  storage: ObjectStorage,
): (apiVersion: string, kind: string) => Parameters | undefined {
  return (apiVersion, kind) => {
    const found = registry.ofKind(apiVersion, kind);
    if (found === undefined) return undefined;
    return {
      namespaced: found.namespaced,
      all: (namespace) => storage.all(found, namespace) as KubeObject[],
    };
  };
}
