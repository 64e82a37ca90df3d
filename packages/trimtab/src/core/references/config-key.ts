import type { ConfigKind } from './references.ts';

/** `ConfigMap/foo`: identifies a config within its namespace. */
export type ConfigKey = `${ConfigKind}/${string}`;

export function configKey(kind: ConfigKind, name: string): ConfigKey {
  return `${kind}/${name}`;
}

export function readConfigKey(key: ConfigKey): { kind: ConfigKind; name: string } {
  const slash = key.indexOf('/');
  return { kind: key.slice(0, slash) as ConfigKind, name: key.slice(slash + 1) };
}

/** The name of the config, without its kind. */
export function configName(key: ConfigKey): string {
  return readConfigKey(key).name;
}
