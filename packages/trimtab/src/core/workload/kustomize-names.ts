import type { ConfigKind } from '../references/references.ts';

interface NamedConfig {
  kind: ConfigKind;
  name: string;
}

/** A reference that moved from one name that kustomize generated to another. */
export interface HashedRename {
  kind: ConfigKind;
  from: string;
  to: string;
}

/** Ten digits of a hexadecimal SHA-256, in which kustomize writes g, h, k, m and t for 0, 1, 3, a and e. */
const hashed = /^(?<base>.+)-[2456789bcdfghkmt]{10}$/;

/**
 * Returns the configs in `now` that replace one in `before` under the same base name. kustomize generates a new name
 * with each change of the content, so each change is a new config for Trimtab. Both lists must name configs and no
 * version objects, whose names end in ten characters, too.
 */
export function hashedRenames(before: readonly NamedConfig[], now: readonly NamedConfig[]): HashedRename[] {
  const has = (all: readonly NamedConfig[], { kind, name }: NamedConfig) =>
    all.some((each) => each.kind === kind && each.name === name);
  const left = before.filter((config) => !has(now, config));
  return now
    .filter((config) => !has(before, config))
    .flatMap(({ kind, name }) => {
      const base = baseOf(name);
      const from = left.find((old) => old.kind === kind && base !== undefined && baseOf(old.name) === base);
      return from === undefined ? [] : [{ kind, from: from.name, to: name }];
    });
}

function baseOf(name: string): string | undefined {
  return hashed.exec(name)?.groups?.['base'];
}
