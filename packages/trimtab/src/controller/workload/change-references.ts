import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { workloadResources } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations, labels } from '../../api/names.ts';
import { configKey } from '../../core/references/config-key.ts';
import { writtenName } from '../../core/references/references.ts';
import { formatMove } from '../../core/references/requested-move.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { mapOperations } from '../activation/map-operations.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import type { JsonOperation } from '../guarded-patch.ts';
import { giveBackFields } from './give-back-fields.ts';

/** A change of the references of a workload, with the label and the record that go with it. */
export interface ReferenceChange {
  /** Preconditions of the change, beside the values that it replaces. */
  tests(workload: Workload): JsonOperation[];
  /** The references to change: `test` and `replace` operations. */
  references(workload: Workload): JsonOperation[];
  /** Annotations of the pod template to set, and to remove where the value is undefined. */
  templateAnnotations(workload: Workload): ReadonlyMap<string, string | undefined>;
  /** New value of the label `trimtab.dev/assigned`; undefined removes it. */
  label: string | undefined;
  /** New value of the annotation `trimtab.dev/assignment`; undefined removes it. */
  record: string | undefined;
  /** Other annotations of the workload to set or remove. */
  annotations: ReadonlyMap<string, string | undefined>;
}

/**
 * Changes references in one patch. When admission is expected, the patch requests the change, and the fields stay with
 * whoever applied them. When the response shows that admission did not make the change, it is written directly. Fields
 * that a client owns afterwards because of an update, Trimtab included, are given back in another patch.
 */
export async function changeReferences(
  context: ControllerContext,
  workload: Workload,
  change: ReferenceChange,
  signal: AbortSignal,
): Promise<void> {
  const { moves, log } = context;
  const requested = moves.isExpected ? moveOperations(workload, change) : undefined;
  if (requested === undefined) return writeDirectly(context, workload, change, signal);
  const answer = await patch(context, workload, requested, signal);
  const after = reduceWorkload(workload.kind)(answer);
  if (change.references(after).length === 0) {
    // What a client wrote in an update stays with it, and the next server-side apply would conflict.
    await giveBackChanged(context, workload, change, answer, signal);
    return;
  }
  moves.wasAway();
  const { namespace, kind, name } = workload;
  log.info(
    { object: { kind, namespace, name } },
    'references were not changed at admission; changing them directly',
  );
  await writeDirectly(context, after, change, signal);
}

/** Returns undefined for a change that only a direct patch makes. */
function moveOperations(workload: Workload, change: ReferenceChange): JsonOperation[] | undefined {
  const changed = change.references(workload);
  if (changed.length === 0 || changesMore(workload, change)) return undefined;
  const wanted = new Map(changed.flatMap((each) => (each.op === 'replace' ? [[each.path, each.value]] : [])));
  const names = workload.references.flatMap((reference) => {
    const to = wanted.get(`/spec/template${reference.pointer}`);
    return typeof to === 'string' ? [[configKey(reference.kind, writtenName(reference)), to] as const] : [];
  });
  const { label, record } = change;
  const move = formatMove({ generation: workload.observed.generation, names: new Map(names), label, record });
  return [
    ...change.tests(workload),
    ...changed.filter(({ op }) => op === 'test'),
    ...metadataTests(workload),
    ...mapOperations(['metadata', 'annotations'], workload.annotations, new Map([[annotations.move, move]])),
  ];
}

/** Whether the change includes what admission does not change. */
function changesMore(workload: Workload, change: ReferenceChange): boolean {
  const differs = (
    before: Readonly<Record<string, string>>,
    entries: ReadonlyMap<string, string | undefined>,
  ) => [...entries].some(([key, value]) => before[key] !== value);
  return (
    differs(workload.templateAnnotations, change.templateAnnotations(workload)) ||
    differs(workload.annotations, change.annotations)
  );
}

/** The values that admission replaces without a test. */
function metadataTests({ labels: its, annotations: notes }: Workload): JsonOperation[] {
  const test = (map: 'labels' | 'annotations', key: string, value: string | undefined): JsonOperation[] =>
    value === undefined ? [] : [{ op: 'test', path: jsonPointer('metadata', map, key), value }];
  return [
    ...test('labels', labels.assigned, its[labels.assigned]),
    ...test('annotations', annotations.assignment, notes[annotations.assignment]),
  ];
}

async function writeDirectly(
  context: ControllerContext,
  workload: Workload,
  change: ReferenceChange,
  signal: AbortSignal,
): Promise<void> {
  const answer = await patch(context, workload, directOperations(workload, change), signal);
  await giveBackChanged(context, workload, change, answer, signal);
}

/** Gives back the fields of the changed references. `workload` is the one from before the change, `answer` from after it. */
async function giveBackChanged(
  context: ControllerContext,
  workload: Workload,
  change: ReferenceChange,
  answer: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const changed = new Set(change.references(workload).map(({ path }) => path));
  const pointers = workload.references
    .map(({ pointer }) => pointer)
    .filter((pointer) => changed.has(`/spec/template${pointer}`));
  await giveBackFields(context, workload, answer, { pointers, before: workload.owners }, signal);
}

/** The whole change as one patch: template, label and annotation change together, so a crash cannot separate them. */
export function directOperations(workload: Workload, change: ReferenceChange): JsonOperation[] {
  const set = (
    path: string[],
    before: Record<string, string>,
    entries: ReadonlyMap<string, string | undefined>,
  ) => mapOperations(path, before, entries);
  const notes = [
    ...change.annotations,
    [annotations.assignment, change.record],
    [annotations.move, undefined],
  ] as const;
  return [
    ...change.tests(workload),
    ...change.references(workload),
    ...set(
      ['spec', 'template', 'metadata', 'annotations'],
      workload.templateAnnotations,
      change.templateAnnotations(workload),
    ),
    ...set(['metadata', 'labels'], workload.labels, new Map([[labels.assigned, change.label]])),
    ...set(['metadata', 'annotations'], workload.annotations, new Map(notes)),
  ];
}

export function isNoChange(workload: Workload, change: ReferenceChange): boolean {
  return directOperations(workload, change).every(({ op }) => op === 'test');
}

function patch(
  { client }: ControllerContext,
  { kind, namespace, name }: Workload,
  operations: JsonOperation[],
  signal: AbortSignal,
): Promise<KubeObject> {
  return client.patch(
    workloadResources[kind],
    { namespace, name },
    { type: 'json', operations },
    { fieldManager, signal },
  );
}
