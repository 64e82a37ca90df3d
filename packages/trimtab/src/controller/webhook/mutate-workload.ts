import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { annotations, labels } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { formatAssignmentRecord } from '../../core/activation/assignment-record.ts';
import type { JoinedActivation } from '../../core/activation/join-activation.ts';
import { formatAssignedVersions } from '../../core/references/assigned-versions.ts';
import {
  assignmentHash,
  assignOperations,
  type ConfigOf,
  type ManagedReferences,
  readTemplate,
  type TemplateReading,
  wantedName,
} from '../../core/references/assignment.ts';
import { type ConfigKey, configKey, readConfigKey } from '../../core/references/config-key.ts';
import { managedReferences } from '../../core/references/managed-references.ts';
import { assignedInTemplate } from '../../core/references/reference-way.ts';
import {
  findReferences,
  type Reference,
  replaceReferences,
  templateReferences,
  writtenName,
} from '../../core/references/references.ts';
import {
  movedMetadata,
  movedReferences,
  type RequestedMove,
  requestedMove,
} from '../../core/references/requested-move.ts';
import type { AdmittedTemplate } from '../../core/workload/admitted-workload.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';
import { checkPin, parsePin, type VersionOf } from '../../core/workload/pin.ts';
import type { AdmissionLookup, AdmittedWorkload } from './admission-lookup.ts';
import type { AdmissionRequest, Mutation, PatchOperation, WorkloadObject } from './admission-review.ts';
import { warningsFor } from './admission-warnings.ts';
import { assignedBefore } from './assigned-before.ts';
import {
  assignedForReload,
  deliveryModeOf,
  recycleOperations,
  reloadOperations,
  reloadProblem,
} from './mutate-reloaded.ts';
import { setEntries } from './set-entries.ts';

export interface WorkloadMutation extends Mutation {
  /** Managed configs without a version. Once their versions exist, mutate the same request again. */
  versionless: ConfigId[];
  /**
   * The managed configs of a workload whose pods this request replaces anyway. When a config has been edited, the workload may
   * join its activation: mutate the same request again with what the activation assigns.
   */
  joinable: ConfigId[];
  /** What this mutation makes of the template. */
  admitted: AdmittedTemplate;
}

/**
 * Computes the mutation of a workload at admission:
 *
 * - A reference to an original, as written by the author, is replaced with the version that was assigned before, or
 *   with the one that a user pinned, or with the current version. So a new workload starts with a version, and applying a manifest again changes nothing.
 * - Where admission writes the versions into the pods, an annotation of the template assigns them instead, and the
 *   references stay as the author wrote them.
 * - Where admission does not write them any more, versions of Trimtab move from that annotation into the references.
 * - A reference to a version is kept: a user chose it (`rollout undo`, GitOps). The label `trimtab.dev/assigned` no
 *   longer matches then, which tells the controller that the version was chosen.
 * - A workload that changes together with its configs gets what their activation assigns (`joined`), so that both changes are
 *   one rolling update.
 * - A change that Trimtab requests (`trimtab.dev/move`) is made as requested, and nothing else.
 * - A workload whose pods are reloaded references the originals; see mutate-reloaded.ts.
 */
export function mutateWorkload(
  request: AdmissionRequest,
  lookup: AdmissionLookup,
  joined?: JoinedActivation,
): WorkloadMutation {
  const { object, oldObject } = request;
  const move = requestedMove(object, oldObject ?? undefined);
  if (move !== undefined) {
    const admitted = { references: [], label: '' };
    return { patch: moveOperations(object, move), warnings: [], versionless: [], joinable: [], admitted };
  }
  const workload = admitted(request);
  const found = templateReferences(object.spec?.template ?? {});
  const foundBefore = templateReferences(oldObject?.spec?.template ?? {});
  const { configOf, unmanaged } = managedConfigs(workload, found, foundBefore, lookup);
  const reading = readTemplate(found, configOf);
  const before = oldObject ? readTemplate(foundBefore, configOf) : undefined;
  const mode = lookup.reloads ? deliveryModeOf(object) : 'recycle';
  const assigned =
    mode === 'reload'
      ? assignedForReload(oldObject ?? undefined, before, lookup)
      : assignedBefore(oldObject ?? undefined, before, lookup);
  const pins = pinned(object, lookup);
  const wanted = wantedReferences(
    reading,
    new Map([...assigned, ...(joined?.references ?? []), ...pins]),
    lookup,
  );
  const way = lookup.referenceWay(workload);
  // Otherwise the controller would write the template a moment later, in a second rolling update.
  const isRewritten = way === 'template' && follows(reading, assigned);
  const replaced = found.filter(
    (reference) =>
      isOriginal(reference, configOf) ||
      isJoined(reference, joined, configOf) ||
      (isRewritten && reference.written !== undefined && configOf(reference.kind, reference.written)),
  );
  const references = found.map((reference) =>
    replaced.includes(reference) ? rename(reference, wanted, configOf) : reference,
  );
  const renamed = readTemplate(references, configOf);
  const patch =
    mode === 'reload'
      ? reloadOperations({ object, oldObject: oldObject ?? undefined, found, wanted, configOf })
      : [
          ...(way === 'template'
            ? [
                ...assignOperations(replaced, wanted, configOf),
                ...recycleOperations(object, versionsWithout(found, replaced)),
              ]
            : recycleOperations(object, versionsOf(found, replaced, wanted, configOf))),
          ...markOperations(object, renamed, wanted, recordFor(request, joined, renamed, assigned)),
        ];
  const denied = mode === 'reload' && wanted.size > 0 ? reloadProblem(object) : undefined;
  return {
    patch: [...patch, ...setEntries(['metadata', 'annotations'], object.metadata.annotations, trace)],
    ...(denied !== undefined && { denied: `trimtab: ${denied}` }),
    warnings: warningsFor({ workload, request, references: renamed.references, before, lookup }),
    versionless: unmanaged
      .map(readConfigKey)
      .filter(({ kind, name }) => found.some((each) => each.kind === kind && each.name === name)),
    joinable:
      mode === 'recycle' &&
      !isPinned(request) &&
      replacesPods(request, configOf) &&
      follows(reading, assigned)
        ? [...reading.references.keys()].map(readConfigKey)
        : [],
    admitted: { references, label: assignmentHash(renamed.references) },
  };
}

/** Whether no activation moves the workload, before or after the request. A pin counts even if it names nothing valid. */
function isPinned({ object, oldObject }: AdmissionRequest): boolean {
  return [object, oldObject].some((each) => each?.metadata.annotations?.[annotations.pin] !== undefined);
}

/** Whether the owner changes the template in another way than by the versions that it references. */
function replacesPods({ object, oldObject }: AdmissionRequest, configOf: ConfigOf): boolean {
  if (!oldObject) return true;
  return contentOf(object.spec?.template, configOf) !== contentOf(oldObject.spec?.template, configOf);
}

function contentOf(template: PodTemplate = {}, configOf: ConfigOf): string {
  const { metadata, ...rest } = replaceReferences(template, ({ kind, name }) => configOf(kind, name) ?? name);
  const notes = Object.entries(metadata?.annotations ?? {}).filter(([name]) => name !== annotations.versions);
  return JSON.stringify([rest, metadata?.labels, notes.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Whether Trimtab chooses all versions of the template: it names configs themselves, or versions that Trimtab assigned. */
function follows({ references, originals }: TemplateReading, assigned: ManagedReferences): boolean {
  return [...references].every(([key, name]) => originals.has(key) || assigned.get(key) === name);
}

function isJoined(
  { kind, ...names }: Reference,
  joined: JoinedActivation | undefined,
  configOf: ConfigOf,
): boolean {
  const config = configOf(kind, writtenName(names));
  return config !== undefined && joined?.references.has(configKey(kind, config)) === true;
}

/** What is left of a request that no admission has seen. */
const trace = [[annotations.move, undefined]] as const;

/** Makes the change that Trimtab requests. The fields of references stay with whoever owns them. */
function moveOperations(object: WorkloadObject, move: RequestedMove): PatchOperation[] {
  const { labels: its, annotations: notes } = object.metadata;
  const found = findReferences(object.spec?.template ?? {});
  const moved = movedMetadata(move);
  return [
    ...movedReferences(move, found).map(
      ({ pointer, name }): PatchOperation => ({
        op: 'replace',
        path: `/spec/template${pointer}`,
        value: name,
      }),
    ),
    ...setEntries(['metadata', 'labels'], its, moved.labels),
    ...setEntries(['metadata', 'annotations'], notes, moved.annotations),
  ];
}

/** The versions that a user pinned. */
function pinned({ metadata }: WorkloadObject, lookup: AdmissionLookup): ManagedReferences {
  const versionOf: VersionOf = (kind, object) => lookup.version(kind, object)?.config;
  return checkPin(parsePin(metadata.annotations ?? {}), versionOf).valid;
}

function admitted({ kind, namespace, name, object, oldObject }: AdmissionRequest): AdmittedWorkload {
  return {
    kind: kind.kind as WorkloadKind,
    namespace,
    name: name || object.metadata.name || '',
    uid: oldObject?.metadata.uid,
    annotations: object.metadata.annotations ?? {},
    templateAnnotations: object.spec?.template?.metadata?.annotations ?? {},
  };
}

function managedConfigs(
  workload: AdmittedWorkload,
  now: readonly Reference[],
  before: readonly Reference[],
  lookup: AdmissionLookup,
): ReturnType<typeof managedReferences> {
  const found = [...now, ...before];
  const originalName = (kind: ConfigId['kind'], name: string) => lookup.version(kind, name)?.config ?? name;
  const configNamed = (each: Reference) => originalName(each.kind, writtenName(each));
  const configs = distinct(found.map((each) => ({ kind: each.kind, name: configNamed(each) })));
  const assigned = new Set(
    before
      .filter((each) => configNamed(each) !== each.name)
      .map((each) => configKey(each.kind, configNamed(each))),
  );
  return managedReferences({
    found,
    originalName,
    adopted: lookup.managed(workload, configs, assigned),
    hasCurrentVersion: (config) => {
      const { kind, name } = readConfigKey(config);
      return lookup.current(kind, name) !== undefined;
    },
  });
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

/** Whether a reference names a config itself, and nothing assigns a version of it. */
function isOriginal(reference: Reference, configOf: ConfigOf): boolean {
  return configOf(reference.kind, writtenName(reference)) === reference.name;
}

function rename(reference: Reference, wanted: ManagedReferences, configOf: ConfigOf): Reference {
  return { ...reference, name: wantedName(reference, wanted, configOf) ?? reference.name };
}

/**
 * What the annotation `trimtab.dev/versions` of the template assigns: what it assigned already, and the wanted versions of
 * the references to replace. Undefined when it stays as it is.
 */
function versionsOf(
  found: readonly Reference[],
  replaced: readonly Reference[],
  wanted: ManagedReferences,
  configOf: ConfigOf,
): string | undefined {
  const added = replaced.flatMap((reference) => {
    const object = wantedName(reference, wanted, configOf);
    return object === undefined ? [] : [[configKey(reference.kind, writtenName(reference)), object] as const];
  });
  if (added.length === 0) return undefined;
  return formatAssignedVersions(new Map([...assignedInTemplate(found), ...added]));
}

/**
 * What the annotation still assigns when the template names the versions of the replaced references itself: null for nothing,
 * undefined when it stays as it is.
 */
function versionsWithout(
  found: readonly Reference[],
  replaced: readonly Reference[],
): string | null | undefined {
  if (replaced.every(({ written }) => written === undefined)) return undefined;
  const left = assignedInTemplate(found.filter((reference) => !replaced.includes(reference)));
  return left.size === 0 ? null : formatAssignedVersions(left);
}

/**
 * The label means that Trimtab assigned these references. It is set only if that is true, and otherwise left alone.
 */
function markOperations(
  object: WorkloadObject,
  renamed: TemplateReading,
  wanted: ManagedReferences,
  record: string | undefined,
): PatchOperation[] {
  const { references, originals, mixed } = renamed;
  const isWanted = [...references].every(([key, name]) => wanted.get(key) === name);
  if (references.size === 0 || originals.size > 0 || mixed || !isWanted) return [];
  const label = assignmentHash(references);
  const marks =
    object.metadata.labels?.[labels.assigned] === label
      ? []
      : [set(object, 'labels', labels.assigned, label)];
  return record === undefined
    ? marks
    : [...marks, set(object, 'annotations', annotations.assignment, record)];
}

/** The record of the assignment that the workload lacks; undefined when it needs none. */
function recordFor(
  { object, oldObject }: AdmissionRequest,
  joined: JoinedActivation | undefined,
  { references }: TemplateReading,
  assigned: ManagedReferences,
): string | undefined {
  if (joined !== undefined) return formatAssignmentRecord(joined.record);
  // `kubectl replace` and `rollout undo` drop annotations. Without this annotation an activation cannot be rolled
  // back.
  const record = oldObject?.metadata.annotations?.[annotations.assignment];
  const isLost = record !== undefined && object.metadata.annotations?.[annotations.assignment] === undefined;
  const isSame = [...references].every(([key, name]) => assigned.get(key) === name);
  return isLost && isSame ? record : undefined;
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
