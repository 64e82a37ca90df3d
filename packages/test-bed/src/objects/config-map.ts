import type { KubeObject } from '@trimtab/kube/wire.ts';
import { build, type Mod } from './build.ts';

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

export function configMap(
  name: string,
  data: Record<string, string> = {},
  ...mods: Mod<ConfigMap>[]
): ConfigMap {
  return build<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }, mods);
}

/** Replaces all of `data`. */
export function withData(data: Record<string, string>): Mod<ConfigMap> {
  return (config) => {
    config.data = data;
  };
}
