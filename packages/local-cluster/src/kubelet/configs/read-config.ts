import { isUtf8 } from 'node:buffer';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ConfigProblem } from './config-problem.ts';

/** A ConfigMap or Secret as pods see it: bytes by key. */
export interface Config {
  /** Values that can become variables: `data` of a ConfigMap, and the keys of a Secret that are UTF-8. */
  texts: ReadonlyMap<string, string>;
  /** All keys, including `binaryData` of a ConfigMap. */
  files: ReadonlyMap<string, Buffer>;
  isImmutable: boolean;
}

export type ConfigKind = 'configmap' | 'secret';

/** Reads a config. Resolves to undefined when it does not exist, and rejects for any other failure. */
export type ReadConfig = (kind: ConfigKind, namespace: string, name: string) => Promise<Config | undefined>;

interface ConfigObject extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

/** Reads each config at most once. Use it for one preparation of a container, or for one refresh of all volumes. */
export function readEachOnce(read: ReadConfig): ReadConfig {
  const known = new Map<string, Promise<Config | undefined>>();
  return (kind, namespace, name) => {
    const key = `${kind}/${namespace}/${name}`;
    const found = known.get(key) ?? read(kind, namespace, name);
    known.set(key, found);
    return found;
  };
}

export function readConfigsFrom(client: KubeClient, signal: AbortSignal): ReadConfig {
  return async (kind, namespace, name) => {
    const resource = kind === 'secret' ? secrets : configMaps;
    try {
      const found = await client.get<ConfigObject>(resource, { namespace, name }, { signal });
      return kind === 'secret' ? secretOf(found) : configMapOf(found);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
}

export function notFound(kind: ConfigKind, name: string): ConfigProblem {
  return new ConfigProblem(`${kind} ${JSON.stringify(name)} not found`);
}

function configMapOf({ data = {}, binaryData = {}, immutable = false }: ConfigObject): Config {
  const texts = new Map(Object.entries(data));
  const files = new Map([...texts].map(([key, text]) => [key, Buffer.from(text)]));
  for (const [key, text] of Object.entries(binaryData)) files.set(key, Buffer.from(text, 'base64'));
  return { texts, files, isImmutable: immutable };
}

function secretOf({ data = {}, immutable = false }: ConfigObject): Config {
  const files = new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64')]));
  const texts = new Map<string, string>();
  for (const [key, bytes] of files) if (isUtf8(bytes)) texts.set(key, bytes.toString('utf8'));
  return { texts, files, isImmutable: immutable };
}
