import { isUtf8 } from 'node:buffer';

/** A config that the endpoint serves. */
export interface EndpointConfig {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  /** The version's name, such as `1.0.3`. */
  version: string;
  /** The keys that the pod's spec names; optional, defaults to all keys. */
  keys?: readonly string[];
  /** The decoded content, by key. */
  entries: ReadonlyMap<string, Buffer>;
}

/** A key that several configs have. */
export interface Collision {
  key: string;
  /** The config whose value the endpoint serves, such as `secret/bar`. */
  used: string;
  /** The other configs with the key. */
  hidden: string[];
}

/** All configs of the pod as one dictionary. */
export interface Dictionary {
  /** `configmap/foo` → `1.0.3`, in the order of the pod's references. */
  versions: ReadonlyMap<string, string>;
  entries: ReadonlyMap<string, Buffer>;
  collisions: readonly Collision[];
}

/** Names of further entries. A key of a config has no slash, so it never equals one of them. */
export const reserved = { base64: 'trimtab.dev/base64', collisions: 'trimtab.dev/collisions' } as const;

/** Joins configs, given in the order of the pod's references, to one dictionary. The later of two equal keys wins. */
export function dictionaryOf(configs: readonly EndpointConfig[]): Dictionary {
  const versions = new Map<string, string>();
  const entries = new Map<string, Buffer>();
  const owners = new Map<string, string[]>();
  for (const config of configs) {
    const name = `${config.kind.toLowerCase()}/${config.name}`;
    versions.set(name, config.version);
    for (const [key, content] of selected(config)) {
      entries.set(key, content);
      owners.set(key, [...(owners.get(key) ?? []).filter((each) => each !== name), name]);
    }
  }
  const collisions = [...owners].flatMap(([key, names]) => {
    const [used, ...hidden] = names.toReversed();
    return used === undefined || hidden.length === 0 ? [] : [{ key, used, hidden: hidden.toReversed() }];
  });
  return { versions, entries, collisions };
}

/**
 * A flat object whose values are all strings, so that every client can decode it as a map of strings. The entries
 * `trimtab.dev/base64` and `trimtab.dev/collisions` list keys, separated by commas, and are present only when there are some.
 */
export function toJson({ versions, entries, collisions }: Dictionary): string {
  const { values, base64 } = encodeEntries(entries);
  // fromEntries also creates a key `__proto__`, which is a valid key of a config.
  const object = Object.fromEntries<string>([
    ...versions,
    ...values,
    ...(base64.length > 0 ? [[reserved.base64, base64.join(',')] as const] : []),
    ...(collisions.length > 0
      ? [[reserved.collisions, collisions.map(({ key }) => key).join(',')] as const]
      : []),
  ]);
  return `${JSON.stringify(object, undefined, 2)}\n`;
}

/** Valid UTF-8 becomes text, other content base64. `base64` lists the keys of the latter. */
export function encodeEntries(entries: ReadonlyMap<string, Buffer>): {
  values: [key: string, value: string][];
  base64: string[];
} {
  const base64 = [...entries].filter(([, content]) => !isUtf8(content)).map(([key]) => key);
  const values = [...entries].map(([key, content]): [string, string] => [
    key,
    content.toString(isUtf8(content) ? 'utf8' : 'base64'),
  ]);
  return { values, base64 };
}

/** One sentence for the log. */
export function describeCollision({ key, used, hidden }: Collision): string {
  return `key ${key} of ${hidden.join(', ')} is hidden by ${used}, which the pod references later`;
}

function selected({ keys, entries }: EndpointConfig): Iterable<readonly [string, Buffer]> {
  if (keys === undefined) return entries;
  return [...entries].filter(([key]) => keys.includes(key));
}
