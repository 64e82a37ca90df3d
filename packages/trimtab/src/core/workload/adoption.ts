import { type ConfigKey, configKey } from '../references/config-key.ts';
import type { ConfigKind } from '../references/references.ts';
import { type Management, manages } from './opt-in.ts';

export interface AdoptionInput {
  /** Opt-ins by the annotations of the workload: Trimtab's own first, then those of Reloader. */
  managements: readonly Management[];
  /** The configs that its template references; a version counts as its config. */
  references: readonly { kind: ConfigKind; name: string }[];
  /** Whether an ownerReference of the config names this workload. */
  ownedBy: (kind: ConfigKind, name: string) => boolean;
  /** Configs that were managed for the workload before. */
  before: ReadonlySet<ConfigKey>;
  /** Configs of which its template references a version that Trimtab assigned. */
  assigned: ReadonlySet<ConfigKey>;
  /** Why the reference to a config cannot be set back to the config itself; undefined when it can. */
  obstacleTo: (config: ConfigKey) => string | undefined;
}

export interface Adoption {
  /** Configs to manage for this workload from now on. */
  managed: ReadonlySet<ConfigKey>;
  /** Managed before, and the opt-in is gone. This is reported, and management continues. */
  lost: ReadonlySet<ConfigKey>;
  /** The workload opted out, its list no longer names the config, or its template no longer references it. */
  ended: ReadonlySet<ConfigKey>;
  /** Not managed, but the template still references a version: the reference is set back to the config itself. */
  toRevert: ReadonlySet<ConfigKey>;
  /** Why opting out waits. Until then, what was managed stays managed, and nothing is set back. */
  obstacles: readonly string[];
}

/**
 * Decides which configs are managed for a workload. Management is sticky: a lost opt-in does not end it. A user ends
 * it with an explicit opt-out, by a list that names other configs only, or by deleting the ConfigRollout, which records
 * the managed workloads.
 */
export function adopt(input: AdoptionInput): Adoption {
  const { managements, references, ownedBy, before, assigned, obstacleTo } = input;
  const optedOut = managements.some(({ mode }) => mode === 'none');
  const asked = new Set(
    references
      .filter(
        (each) => managements.some((it) => manages(it, each)) || (!optedOut && ownedBy(each.kind, each.name)),
      )
      .map(({ kind, name }) => configKey(kind, name)),
  );
  const referenced = new Set(references.map(({ kind, name }) => configKey(kind, name)));
  // Reloader's lists are not exhaustive: they stand beside its other annotations.
  const isListed = managements[0]?.mode === 'some';
  const isOver = (config: ConfigKey) => !referenced.has(config) || (isListed && !asked.has(config));
  const ended = optedOut ? before : new Set([...before].filter(isOver));
  const lost = new Set([...before].filter((config) => !asked.has(config) && !ended.has(config)));
  const managed = new Set([...asked, ...lost]);
  const toRevert = new Set([...assigned].filter((config) => !managed.has(config)));
  const obstacles = [...toRevert].flatMap((config) => obstacleTo(config) ?? []);
  if (obstacles.length === 0) return { managed, lost, ended, toRevert, obstacles };
  // All of them wait for the last one, so that opting out is one rolling update.
  const staying = new Set([...toRevert].filter((config) => before.has(config)));
  return {
    managed: new Set([...managed, ...staying]),
    lost,
    ended: new Set([...ended].filter((config) => !staying.has(config))),
    toRevert: new Set(),
    obstacles,
  };
}
