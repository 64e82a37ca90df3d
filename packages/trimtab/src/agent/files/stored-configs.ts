import type { Config, ConfigRef } from '../source/config.ts';
import type { ConfigVolumes } from './config-volumes.ts';

/** The configs of the last good set on disk; undefined when there is none. */
export function storedConfigs(volumes: Pick<ConfigVolumes, 'readConfigs'>): Config[] | undefined {
  const stored = volumes.readConfigs();
  return stored?.sources.map((source, index): Config => {
    const prefix = `${index}/`;
    const entries = [...stored.files].flatMap(([path, content]) =>
      path.startsWith(prefix) ? [[path.slice(prefix.length), content] as const] : [],
    );
    return { ...source, kind: source.kind as ConfigRef['kind'], uid: '', entries: new Map(entries) };
  });
}
