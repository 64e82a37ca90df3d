import type { PodTemplate } from '../../api/pod-template.ts';
import type { FieldPath, FieldStep } from './field-set.ts';

/** The field of a workload that an API server tracks for a reference. */
export interface ReferenceField {
  path: FieldPath;
  /**
   * The item of a list that contains the field and that its author wrote with it: a volume, or a variable. Undefined for
   * `envFrom`: another client than the author of the container may have added it.
   */
  item: FieldPath | undefined;
}

/** Lists whose items have a name as their key. */
const namedLists = new Set(['volumes', 'containers', 'initContainers', 'env']);
/** An API server tracks these fields as a whole. */
const atomicFields = new Set(['sources', 'envFrom', 'configMapKeyRef', 'secretKeyRef']);

/** `pointer` is a JSON pointer from the pod template to the field that holds the name of the config. */
export function referenceField(template: PodTemplate, pointer: string): ReferenceField {
  const path: FieldStep[] = [{ field: 'spec' }, { field: 'template' }];
  let item: FieldPath | undefined;
  let node: unknown = template;
  let list: string | undefined;
  for (const segment of pointer.slice(1).split('/')) {
    node = (node as Record<string, unknown> | undefined)?.[segment];
    if (list !== undefined && namedLists.has(list)) {
      path.push({ item: String((node as { name?: unknown } | undefined)?.name ?? '') });
      item = list === 'volumes' || list === 'env' ? [...path] : undefined;
    } else path.push({ field: segment });
    list = Array.isArray(node) ? segment : undefined;
    if (atomicFields.has(segment)) break;
  }
  return { path, item };
}
