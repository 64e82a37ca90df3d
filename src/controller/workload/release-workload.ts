import { annotations, labels } from '../../api/names.ts';
import { assignOperations, configKey } from '../../core/assignment.ts';
import { parseManage } from '../../core/opt-in.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { configOf, rolloutOf, versionsOf } from '../picture/lookup.ts';
import { workloadResources } from '../picture/picture.ts';
import type { Workload } from '../picture/workloads.ts';
import { originalOf } from '../version/version-reconciler.ts';
import { workloadSubject } from './workload-subject.ts';

/**
 * Puts the references of a workload that opted out back to the originals, in one ordinary rolling update. False
 * while an original holds content that was rolled back: opting out must not release it.
 */
export async function releaseWorkload(
  context: ControllerContext,
  workload: Workload,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, picture, tell } = context;
  const { namespace, kind, name } = workload;
  const manage = parseManage(workload.annotations);
  if (!('value' in manage) || manage.value.mode !== 'none') return true;
  const of = configOf(picture, namespace);
  const originals = new Map(
    workload.references.flatMap((reference) => {
      const config = of(reference.kind, reference.name);
      return config === undefined ? [] : [[configKey(reference.kind, config), config] as const];
    }),
  );
  for (const [key, config] of originals) {
    const rollout = rolloutOf(picture, namespace, key.startsWith('Secret/') ? 'Secret' : 'ConfigMap', config);
    const live = rollout && originalOf(context, rollout)?.hash;
    const rejected =
      rollout &&
      versionsOf(picture, rollout).find((each) => each.contentHash === live && each.state === 'rejected');
    if (rejected !== undefined) {
      tell(
        workloadSubject(workload),
        'Warning',
        'OptOutWaits',
        `${key} holds version ${rejected.name}, which was rolled back; edit it, then ${kind} ${name} goes back to it`,
      );
      return false;
    }
  }
  const operations = assignOperations(workload.references, originals, of);
  const marks = [
    ...(workload.labels[labels.assigned] === undefined ? [] : [remove('labels', labels.assigned)]),
    ...(workload.annotations[annotations.assignment] === undefined
      ? []
      : [remove('annotations', annotations.assignment)]),
  ];
  if (operations.length + marks.length === 0) return true;
  const test = { op: 'test' as const, path: '/metadata/uid', value: workload.uid };
  const patch = { type: 'json' as const, operations: [test, ...operations, ...marks] };
  await client.patch(workloadResources[kind], { namespace, name }, patch, { fieldManager, signal });
  return true;
}

function remove(map: 'labels' | 'annotations', key: string) {
  return { op: 'remove' as const, path: `/metadata/${map}/${key.replace('/', '~1')}` };
}
