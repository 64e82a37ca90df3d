import { type ConfigKey, configKey } from '../references/config-key.ts';
import type { ConfigKind } from '../references/references.ts';
import { type Management, manages } from './opt-in.ts';

export interface AdoptionInput {
  /** What the annotations of the workload say, and what those made for Reloader say. */
  managements: readonly Management[];
  /** The configs that its template references, versions counted as their config. */
  references: readonly { kind: ConfigKind; name: string }[];
  /** Whether an owner reference of the config points to this workload. */
  ownedBy: (kind: ConfigKind, name: string) => boolean;
  /** Configs that it was managed for before. */
  before: ReadonlySet<ConfigKey>;
  /** Configs of which its template names a version, by our doing. */
  assigned: ReadonlySet<ConfigKey>;
}

export interface Adoption {
  /** Configs to manage for this workload from now on. */
  managed: ReadonlySet<ConfigKey>;
  /** Managed before, and no opt-in says so any more: that is noticed, and not obeyed. */
  lost: ReadonlySet<ConfigKey>;
  /** Opted out in so many words. */
  ended: ReadonlySet<ConfigKey>;
  /** It still names versions of these, and nothing manages them for it: they go back to the originals. */
  toRevert: ReadonlySet<ConfigKey>;
}

/**
 * Which configs are managed for a workload. Management is sticky: it ends only when somebody says so, be it by
 * deleting the ConfigRollout, which is what remembers it.
 */
export function adopt({ managements, references, ownedBy, before, assigned }: AdoptionInput): Adoption {
  const optedOut = managements.some(({ mode }) => mode === 'none');
  const asked = new Set(
    references
      .filter(
        (each) => managements.some((it) => manages(it, each)) || (!optedOut && ownedBy(each.kind, each.name)),
      )
      .map(({ kind, name }) => configKey(kind, name)),
  );
  const referenced = new Set(references.map(({ kind, name }) => configKey(kind, name)));
  const ended = optedOut ? before : new Set([...before].filter((config) => !referenced.has(config)));
  const lost = new Set([...before].filter((config) => !asked.has(config) && !ended.has(config)));
  const managed = new Set([...asked, ...lost]);
  const toRevert = new Set([...assigned].filter((config) => !managed.has(config)));
  return { managed, lost, ended, toRevert: toRevert };
}
