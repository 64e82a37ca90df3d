import { annotations, labels } from '../../api/names.ts';
import {
  assignmentOf,
  type ConfigOf,
  type ManagedReferences,
  readTemplate,
  templateHash,
} from '../references/assignment.ts';
import { type ConfigKey, readConfigKey } from '../references/config-key.ts';
import { isWrittenIn, type ReferenceWay } from '../references/reference-way.ts';
import { reloadState } from '../reload/reload-state.ts';
import { parseWave } from '../workload/opt-in.ts';
import { readPin, type VersionOf } from '../workload/pin.ts';
import type { Workload } from '../workload/reduce-workload.ts';
import { workloadKey } from '../workload/workload-key.ts';
import { parseAssignmentRecord } from './assignment-record.ts';
import type { WorkloadPod, WorkloadState } from './types.ts';

interface WorkloadFacts {
  workload: Workload;
  /** Maps the managed references of this workload. */
  configOf: ConfigOf;
  /** The object of the current version of each config. */
  current: ReadonlyMap<ConfigKey, string>;
  isReloaded: boolean;
  /** How the template should assign the versions; undefined when that does not matter. */
  way?: ReferenceWay;
  versionOf: VersionOf;
  pods: readonly WorkloadPod[];
}

/** A workload as plans see it. The controller and the preview of an activation share this function. */
export function workloadState({
  workload,
  configOf: of,
  current,
  isReloaded,
  way,
  versionOf,
  pods,
}: WorkloadFacts): WorkloadState {
  const reading = readTemplate(workload.references, of);
  const label = workload.labels[labels.assigned];
  const { references, assignment } = isReloaded
    ? reloadState(reading, { ...workload, versions: workload.annotations[annotations.versions], label })
    : { references: reading.references, assignment: assignmentOf(reading, label) };
  const isMiswritten =
    !isReloaded &&
    !(assignment === 'pinned' && staysPinned(references, way, versionOf)) &&
    way !== undefined &&
    !isWrittenIn(way, workload.references, of);
  const wave = parseWave(workload.annotations);
  const currentObjects = new Map(
    [...reading.references.keys()].flatMap((config) => {
      const object = current.get(config);
      return object === undefined ? [] : [[config, object] as const];
    }),
  );
  const pin = readPin(workload.annotations, { references, current: currentObjects }, versionOf);
  return {
    key: workloadKey(workload.kind, workload.name),
    wave: 'value' in wave ? wave.value : 0,
    references,
    ...(reading.mixed && { isMixed: true }),
    ...(isReloaded && { isReloaded }),
    ...(isMiswritten && { isMiswritten }),
    ...(pin && { pin }),
    current: currentObjects,
    assignment,
    label,
    record: parseAssignmentRecord(workload.annotations[annotations.assignment]),
    templateHash: templateHash(workload.shape, workload.references, of),
    observed: workload.observed,
    pods,
  };
}

/**
 * Whether what another client chose stays as it was written. Versions that the template names reach its pods without
 * admission, and what the annotation names must be a version.
 */
function staysPinned(
  references: ManagedReferences,
  way: ReferenceWay | undefined,
  versionOf: VersionOf,
): boolean {
  if (way === 'admission') return true;
  return [...references].some(([config, object]) => {
    const { kind, name } = readConfigKey(config);
    return versionOf(kind, object) !== name;
  });
}
