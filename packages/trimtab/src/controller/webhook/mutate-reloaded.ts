import { annotations, labels } from '../../api/names.ts';
import { runningContainers } from '../../core/injection/container-use.ts';
import { parseReloadAnnotations } from '../../core/injection/reload-annotations.ts';
import { formatAssignedVersions, parseAssignedVersions } from '../../core/references/assigned-versions.ts';
import {
  assignmentHash,
  assignOperations,
  type ConfigOf,
  type ManagedReferences,
  type TemplateReading,
} from '../../core/references/assignment.ts';
import { originalsOf } from '../../core/references/reference-way.ts';
import type { Reference } from '../../core/references/references.ts';
import { type DeliveryMode, deliveryMode, templateAnnotations } from '../../core/reload/delivery-mode.ts';
import type { AdmissionLookup } from './admission-lookup.ts';
import type { PatchOperation, WorkloadObject } from './admission-review.ts';
import { assignedBefore, withoutRejected } from './assigned-before.ts';
import { setEntries } from './set-entries.ts';

const templatePath = ['spec', 'template', 'metadata', 'annotations'];

export function deliveryModeOf({ metadata, spec }: WorkloadObject): DeliveryMode {
  return deliveryMode(metadata.annotations ?? {}, spec?.template?.metadata?.annotations ?? {});
}

/** Why the annotations about reloading are not valid; undefined when they are. */
export function reloadProblem({ metadata, spec }: WorkloadObject): string | undefined {
  const template = spec?.template ?? {};
  const ofTemplate = template.metadata?.annotations ?? {};
  const effective = new Map<string, string | undefined>(Object.entries(ofTemplate));
  for (const [name, value] of templateAnnotations(metadata.annotations ?? {}, ofTemplate, 'reload'))
    effective.set(name, value);
  const valid = [...effective].filter((each): each is [string, string] => each[1] !== undefined);
  const { problems } = parseReloadAnnotations(Object.fromEntries(valid), runningContainers(template));
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** Returns the versions that were assigned before, in the annotation or, until now, in the template. */
export function assignedForReload(
  oldObject: WorkloadObject | undefined,
  before: TemplateReading | undefined,
  lookup: AdmissionLookup,
): ManagedReferences {
  const versions = parseAssignedVersions(oldObject?.metadata.annotations?.[annotations.versions]);
  if (versions.size > 0 && assignmentHash(versions) === oldObject?.metadata.labels?.[labels.assigned])
    return withoutRejected(versions, lookup);
  return assignedBefore(oldObject, before, lookup);
}

/**
 * A workload whose pods are reloaded: its template names the configs themselves and has the annotations that admission of
 * pods needs. The assigned versions are in an annotation of the workload.
 */
export function reloadOperations({
  object,
  oldObject,
  found,
  wanted,
  configOf,
}: {
  object: WorkloadObject;
  oldObject: WorkloadObject | undefined;
  found: readonly Reference[];
  wanted: ManagedReferences;
  configOf: ConfigOf;
}): PatchOperation[] {
  if (wanted.size === 0) return [];
  const { labels: own, annotations: notes = {} } = object.metadata;
  const ofTemplate = object.spec?.template?.metadata?.annotations;
  const originals = originalsOf(wanted.keys());
  // `kubectl replace` drops annotations. Without this one an activation cannot be rolled back.
  const record = notes[annotations.assignment] ?? oldObject?.metadata.annotations?.[annotations.assignment];
  return [
    ...assignOperations(found, originals, configOf).filter(({ op }) => op !== 'test'),
    ...setEntries(templatePath, ofTemplate, [
      ...templateAnnotations(notes, ofTemplate ?? {}, 'reload'),
      [annotations.versions, undefined],
    ]),
    ...setEntries(['metadata', 'labels'], own, [[labels.assigned, assignmentHash(wanted)]]),
    ...setEntries(['metadata', 'annotations'], object.metadata.annotations, [
      [annotations.versions, formatAssignedVersions(wanted)],
      [annotations.assignment, record],
    ]),
  ];
}

/**
 * Removes what only a reload needs, for a workload that was reloaded before. `versions` are those that the template
 * assigns from now on; null for none, and undefined to leave them as they are.
 */
export function recycleOperations(
  { metadata, spec }: WorkloadObject,
  versions?: string | null,
): PatchOperation[] {
  const ofTemplate = spec?.template?.metadata?.annotations;
  const assigned = versions === undefined ? ofTemplate?.[annotations.versions] : (versions ?? undefined);
  return [
    ...setEntries(templatePath, ofTemplate, [
      ...templateAnnotations(metadata.annotations ?? {}, ofTemplate ?? {}, 'recycle'),
      [annotations.versions, assigned],
    ]),
    ...setEntries(['metadata', 'annotations'], metadata.annotations, [[annotations.versions, undefined]]),
  ];
}
