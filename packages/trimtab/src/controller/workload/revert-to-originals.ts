import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { workloadResources } from '@trimtab/kube/resource.ts';
import { annotations, labels } from '../../api/names.ts';
import {
  assignmentHash,
  assignOperations,
  type ConfigOf,
  type ManagedReferences,
  readTemplate,
} from '../../core/references/assignment.ts';
import { type ConfigKey, configKey, configName } from '../../core/references/config-key.ts';
import { templateAnnotations } from '../../core/reload/delivery-mode.ts';
import type { Adoption } from '../../core/workload/adoption.ts';
import { parseManage } from '../../core/workload/opt-in.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { mapOperations } from '../activation/map-operations.ts';
import { originalName } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import type { JsonOperation } from '../guarded-patch.ts';
import { workloadSubject } from './workload-subject.ts';

/** Replaces versions with the originals for configs that are no longer managed for a workload, in one rolling update. */
export async function revertToOriginals(
  context: ControllerContext,
  workload: Workload,
  { toRevert, managed, ended }: Adoption,
  signal: AbortSignal,
): Promise<void> {
  const { client, recordEvent } = context;
  const { namespace, kind, name } = workload;
  const manage = parseManage(workload.annotations);
  const optedOut = ended.size > 0 && 'value' in manage && manage.value.mode === 'none';
  if (toRevert.size === 0 && !optedOut) return;
  const of = within(context, namespace, toRevert);
  const originals = new Map([...toRevert].map((config) => [config, configName(config)]));
  const operations = [
    ...assignOperations(workload.references, originals, of),
    ...markOperations(
      workload,
      toRevert,
      readTemplate(workload.references, within(context, namespace, managed)).references,
      of,
    ),
  ];
  if (operations.length === 0) return;
  // The generation changes with every update of the spec, also with one that is undone before this patch arrives.
  const tests: JsonOperation[] = [
    { op: 'test', path: '/metadata/uid', value: workload.uid },
    { op: 'test', path: '/metadata/generation', value: workload.observed.generation },
  ];
  const patch = { type: 'json' as const, operations: [...tests, ...operations] };
  await client.patch(workloadResources[kind], { namespace, name }, patch, { fieldManager, signal });
  if (toRevert.size > 0) {
    const message = `No longer managed for this workload: ${[...toRevert].join(', ')}; pods read the live config`;
    recordEvent(workloadSubject(workload), 'Normal', 'OptedOut', message);
  }
}

/** Maps a name in a pod template to one of these configs, with or without a rollout. */
function within(
  { cluster }: ControllerContext,
  namespace: string,
  configs: ReadonlySet<ConfigKey>,
): ConfigOf {
  return (kind, name) => {
    const config = originalName(cluster, namespace, kind, name);
    return configs.has(configKey(kind, config)) ? config : undefined;
  };
}

/** Updates the label to the configs that stay managed. Removes label and annotation when none is left. */
function markOperations(
  workload: Workload,
  toRevert: ReadonlySet<ConfigKey>,
  kept: ManagedReferences,
  of: ConfigOf,
): JsonOperation[] {
  const { labels: its, annotations: notes, references } = workload;
  const label = its[labels.assigned];
  if (kept.size === 0) {
    return [
      ...(label === undefined ? [] : [remove('labels', labels.assigned)]),
      ...[annotations.assignment, annotations.versions].flatMap((name) =>
        notes[name] === undefined ? [] : [remove('annotations', name)],
      ),
      ...(notes[annotations.versions] === undefined ? [] : replacePods(workload)),
    ];
  }
  const before = new Map([...kept, ...readTemplate(references, of).references]);
  // A label that does not match marks versions that a user chose. It is left alone, so it still does not match.
  if (toRevert.size === 0 || label !== assignmentHash(before)) return [];
  const path = jsonPointer('metadata', 'labels', labels.assigned);
  return [{ op: 'replace', path, value: assignmentHash(kept) }];
}

/** The pods of a workload that was reloaded have the agent. New pods read the live config as the kubelet mounts it. */
function replacePods({
  annotations: notes,
  templateAnnotations: ofTemplate,
  observed,
  resourceVersion,
}: Workload): JsonOperation[] {
  const changes = templateAnnotations(notes, ofTemplate, 'recycle');
  changes.set(annotations.recycled, `opt-out-${observed.generation}`);
  return mapOperations(['spec', 'template', 'metadata', 'annotations'], ofTemplate, changes, resourceVersion);
}

function remove(map: 'labels' | 'annotations', key: string): JsonOperation {
  return { op: 'remove', path: jsonPointer('metadata', map, key) };
}
