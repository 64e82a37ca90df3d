import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { annotations, labels } from '../../api/names.ts';
import {
  assignmentHash,
  assignmentOf,
  assignOperations,
  type ConfigOf,
  type ManagedReferences,
  readTemplate,
  type TemplateReading,
} from '../../core/references/assignment.ts';
import { type ConfigKey, configKey, readConfigKey } from '../../core/references/config-key.ts';
import { findReferences, type Reference } from '../../core/references/references.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { type ConfigId, parseRestart } from '../../core/workload/opt-in.ts';
import type { AdmissionLookup, AdmittedWorkload } from './admission-lookup.ts';
import {
  type AdmissionRequest,
  type Mutation,
  type PatchOperation,
  unchanged,
  type WorkloadObject,
} from './admission-review.ts';
import { warningsFor } from './admission-warnings.ts';

export interface WorkloadMutation extends Mutation {
  /** Managed configs that have no version yet: once they have, the same request can be asked again. */
  versionless: ConfigId[];
}

/**
 * What becomes of a workload on its way in:
 *
 * - Where it names an original, as its author wrote it, it gets what it should run: what it was assigned before,
 *   else the current version. So a new workload starts with its copy, and applying a manifest again changes nothing.
 * - Where it names versions, somebody chose them (`rollout undo`, GitOps), and they stay. The label then no longer
 *   fits them, which is how the controller knows.
 */
export function mutateWorkload(request: AdmissionRequest, lookup: AdmissionLookup): WorkloadMutation {
  const { object, oldObject } = request;
  const workload = admitted(request);
  const restart = parseRestart(object.metadata.annotations);
  // Reload leaves the template as it is: the agent brings the version.
  if ('value' in restart && restart.value === 'reload') return { ...unchanged, versionless: [] };
  const found = findReferences(object.spec?.template ?? {});
  const foundBefore = findReferences(oldObject?.spec?.template ?? {});
  const configOf = managedConfigs(workload, [...found, ...foundBefore], lookup);
  const reading = readTemplate(found, configOf);
  const before = oldObject ? readTemplate(foundBefore, configOf) : undefined;
  const assigned = assignedBefore(oldObject ?? undefined, before, lookup);
  const wanted = wantedReferences(reading, assigned, lookup);
  const originals = found.filter(({ kind, name }) => configOf(kind, name) === name);
  const renamed = readTemplate(
    found.map((reference) => rename(reference, wanted, configOf)),
    configOf,
  );
  return {
    patch: [
      ...assignOperations(originals, wanted, configOf),
      ...markOperations(object, renamed, wanted, oldObject ?? undefined, assigned),
    ],
    warnings: warningsFor({ workload, request, references: renamed.references, before, lookup }),
    versionless: distinct(originals.filter(({ kind, name }) => !wanted.has(configKey(kind, name)))),
  };
}

function admitted({ kind, namespace, name, object, oldObject }: AdmissionRequest): AdmittedWorkload {
  return {
    kind: kind.kind as WorkloadKind,
    namespace,
    name: name || object.metadata.name || '',
    uid: oldObject?.metadata.uid,
    annotations: object.metadata.annotations ?? {},
  };
}

function managedConfigs(
  workload: AdmittedWorkload,
  found: readonly Reference[],
  lookup: AdmissionLookup,
): ConfigOf {
  const original = (kind: ConfigId['kind'], name: string) => lookup.version(kind, name)?.config ?? name;
  const configs = distinct(found.map(({ kind, name }) => ({ kind, name: original(kind, name) })));
  const managed = lookup.managed(workload, configs);
  return (kind, name) => {
    const config = original(kind, name);
    return managed.has(configKey(kind, config)) ? config : undefined;
  };
}

/** What Trimtab assigned to it and nobody has changed since, in the middle of an activation, too. */
function assignedBefore(
  oldObject: WorkloadObject | undefined,
  before: TemplateReading | undefined,
  lookup: AdmissionLookup,
): ManagedReferences {
  const label = oldObject?.metadata.labels?.[labels.assigned];
  if (before === undefined || assignmentOf(before, label) !== 'ours') return new Map();
  // Between the rejection of a version and the way back, a re-applied manifest must not go on with it.
  const good = [...before.references].filter(([key, object]) => {
    const { kind } = readConfigKey(key);
    return lookup.version(kind, object)?.rejected === undefined;
  });
  return new Map(good);
}

function wantedReferences(
  { references }: TemplateReading,
  assigned: ManagedReferences,
  lookup: AdmissionLookup,
): ManagedReferences {
  const wanted = [...references.keys()].flatMap((key): [ConfigKey, string][] => {
    const { kind, name } = readConfigKey(key);
    const object = assigned.get(key) ?? lookup.current(kind, name);
    return object === undefined ? [] : [[key, object]];
  });
  return new Map(wanted);
}

function rename({ kind, name }: Reference, wanted: ManagedReferences, configOf: ConfigOf): ConfigId {
  const isOriginal = configOf(kind, name) === name;
  return { kind, name: (isOriginal && wanted.get(configKey(kind, name))) || name };
}

/** The label says 'this is what Trimtab assigned', so it is set where that is true and left alone where it is not. */
function markOperations(
  object: WorkloadObject,
  renamed: TemplateReading,
  wanted: ManagedReferences,
  oldObject: WorkloadObject | undefined,
  assigned: ManagedReferences,
): PatchOperation[] {
  const { references, namesOriginal, mixed } = renamed;
  const isWanted = [...references].every(([key, name]) => wanted.get(key) === name);
  if (references.size === 0 || namesOriginal || mixed || !isWanted) return [];
  const label = assignmentHash(references);
  const marks =
    object.metadata.labels?.[labels.assigned] === label
      ? []
      : [set(object, 'labels', labels.assigned, label)];
  // `kubectl replace` and `rollout undo` drop annotations; without this one there is no way back from an activation.
  const record = oldObject?.metadata.annotations?.[annotations.assignment];
  const isLost = record !== undefined && object.metadata.annotations?.[annotations.assignment] === undefined;
  const isSame = [...references].every(([key, name]) => assigned.get(key) === name);
  return isLost && isSame ? [...marks, set(object, 'annotations', annotations.assignment, record)] : marks;
}

function set(
  object: WorkloadObject,
  map: 'labels' | 'annotations',
  key: string,
  value: string,
): PatchOperation {
  if (object.metadata[map] === undefined)
    return { op: 'add', path: `/metadata/${map}`, value: { [key]: value } };
  return { op: 'add', path: jsonPointer('metadata', map, key), value };
}

function distinct(references: readonly ConfigId[]): ConfigId[] {
  return [...new Set(references.map(({ kind, name }) => configKey(kind, name)))].map(readConfigKey);
}
