import { annotations, labels } from '../../api/names.ts';
import { formatAssignedVersions } from '../../core/references/assigned-versions.ts';
import {
  assignmentHash,
  assignOperations,
  type ConfigOf,
  type ManagedReferences,
  readTemplate,
} from '../../core/references/assignment.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { assignedInTemplate, originalsOf } from '../../core/references/reference-way.ts';
import { templateAnnotations } from '../../core/reload/delivery-mode.ts';
import type { Adoption } from '../../core/workload/adoption.ts';
import { parseManage } from '../../core/workload/opt-in.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { originalName } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { changeReferences, isNoChange, type ReferenceChange } from './change-references.ts';
import { workloadSubject } from './workload-subject.ts';

/** Replaces versions with the originals for configs that are no longer managed for a workload, in one rolling update. */
export async function revertToOriginals(
  context: ControllerContext,
  workload: Workload,
  { toRevert, managed, ended }: Adoption,
  signal: AbortSignal,
): Promise<void> {
  const { recordEvent } = context;
  const { namespace } = workload;
  const manage = parseManage(workload.annotations);
  const optedOut = ended.size > 0 && 'value' in manage && manage.value.mode === 'none';
  if (toRevert.size === 0 && !optedOut) return;
  const of = within(context, namespace, toRevert);
  const originals = originalsOf(toRevert);
  const { references: kept } = readTemplate(workload.references, within(context, namespace, managed));
  const change: ReferenceChange = {
    // The generation changes with every update of the spec, also with one that is undone before this patch arrives.
    tests: ({ uid, observed: { generation } }) => [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/generation', value: generation },
    ],
    references: ({ references }) => assignOperations(references, originals, of),
    ...marks(workload, toRevert, kept, of),
    templateAnnotations: (its) => revertedTemplate(its, toRevert, kept),
  };
  if (isNoChange(workload, change)) return;
  await changeReferences(context, workload, change, signal);
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

/** Updates the label to the configs that stay managed. Removes label and annotations when none is left. */
function marks(
  { labels: its, annotations: notes, references }: Workload,
  toRevert: ReadonlySet<ConfigKey>,
  kept: ManagedReferences,
  of: ConfigOf,
): Pick<ReferenceChange, 'label' | 'record' | 'annotations'> {
  if (kept.size === 0)
    return {
      label: undefined,
      record: undefined,
      annotations: new Map([[annotations.versions, undefined]]),
    };
  const label = its[labels.assigned];
  const before = new Map([...kept, ...readTemplate(references, of).references]);
  // A label that does not match marks versions that a user chose. It is left alone, so it still does not match.
  const isOurs = toRevert.size > 0 && label === assignmentHash(before);
  return {
    label: isOurs ? assignmentHash(kept) : label,
    record: notes[annotations.assignment],
    annotations: new Map(),
  };
}

/**
 * Changes annotations of the template: admission no longer writes versions of these configs into pods. The pods of a
 * workload that was reloaded have the agent; new pods read the live config as the kubelet mounts it.
 */
function revertedTemplate(
  { annotations: notes, templateAnnotations: its, references, observed }: Workload,
  toRevert: ReadonlySet<ConfigKey>,
  kept: ManagedReferences,
): Map<string, string | undefined> {
  if (kept.size === 0 && notes[annotations.versions] !== undefined)
    return templateAnnotations(notes, its, 'recycle').set(
      annotations.recycled,
      `opt-out-${observed.generation}`,
    );
  if (its[annotations.versions] === undefined || (toRevert.size === 0 && kept.size > 0)) return new Map();
  const left = [...assignedInTemplate(references)].filter(
    ([config]) => kept.size > 0 && !toRevert.has(config),
  );
  const versions = left.length === 0 ? undefined : formatAssignedVersions(new Map(left));
  return new Map([[annotations.versions, versions]]);
}
