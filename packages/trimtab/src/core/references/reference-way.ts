import { formatAssignedVersions } from './assigned-versions.ts';
import type { ConfigOf, ManagedReferences } from './assignment.ts';
import { type ConfigKey, configKey, configName } from './config-key.ts';
import { type Reference, writtenName } from './references.ts';

/**
 * How the pods of a workload get their versions. `template`: its pod template names them. `admission`: its pod template
 * names the configs, as it was written, an annotation of the template assigns the versions, and admission writes them
 * into each pod.
 */
export type ReferenceWay = 'template' | 'admission';

/** What the pod template names, for a workload that is assigned these versions. */
export function writtenReferences(references: ManagedReferences, way: ReferenceWay): ManagedReferences {
  return way === 'template' ? references : originalsOf(references.keys());
}

/**
 * The value of the annotation `trimtab.dev/versions` of the pod template, for a workload that is assigned these versions;
 * undefined when it has none. What the annotation assigns to other configs stays: they may become managed a moment later.
 */
export function templateVersions(
  found: readonly Reference[],
  references: ManagedReferences,
  way: ReferenceWay,
): string | undefined {
  const others = [...assignedInTemplate(found)].filter(([config]) => !references.has(config));
  const assigned = new Map([...others, ...(way === 'admission' ? references : [])]);
  return assigned.size === 0 ? undefined : formatAssignedVersions(assigned);
}

/** The versions that the annotation of a template assigns to configs which the template names. */
export function assignedInTemplate(found: readonly Reference[]): ManagedReferences {
  return new Map(
    found.flatMap(({ kind, name, written }) =>
      written === undefined ? [] : [[configKey(kind, written), name] as const],
    ),
  );
}

/** The configs themselves. */
export function originalsOf(configs: Iterable<ConfigKey>): ManagedReferences {
  return new Map([...configs].map((config) => [config, configName(config)]));
}

/** Whether the pod template assigns the versions of all managed configs in this way. */
export function isWrittenIn(way: ReferenceWay, found: readonly Reference[], configOf: ConfigOf): boolean {
  return found.every((reference) => {
    const written = writtenName(reference);
    const config = configOf(reference.kind, written);
    return (
      config === undefined || (way === 'admission' ? written === config : reference.written === undefined)
    );
  });
}
