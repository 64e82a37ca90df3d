import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectedConfig } from '../../api/injected-pod.ts';
import type { Config } from './config.ts';

/** Reads the version that was assigned when the pod was created. The kubelet has mounted it. */
export function birthConfig(injected: InjectedConfig, namespace: string): Config {
  const { kind, name, version, object, birthPath } = injected;
  const entries = new Map<string, Buffer>();
  for (const key of readdirSync(birthPath)) {
    // The kubelet's own folders begin so; keys do not.
    if (key.startsWith('..')) continue;
    const file = join(birthPath, key);
    if (statSync(file).isFile()) entries.set(key, readFileSync(file));
  }
  return usedKeys(injected, {
    kind,
    namespace,
    name,
    version,
    object,
    uid: '',
    resourceVersion: '',
    entries,
  });
}

/** A config with the keys that the pod's spec names. */
export function usedKeys({ keys }: InjectedConfig, config: Config): Config {
  if (keys === undefined) return config;
  const entries = [...config.entries].filter(([key]) => keys.includes(key));
  return { ...config, entries: new Map(entries) };
}
