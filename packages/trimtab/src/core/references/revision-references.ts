import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { configNameIn } from '../version/object-names.ts';
import { type ConfigKind, findReferences } from './references.ts';

/**
 * Returns what the pod template of a ReplicaSet or ControllerRevision names. The API server accepts any data in a
 * ControllerRevision. When the data is no pod template, every text in it with the form of a version's name counts as a
 * reference, so that a version that the revision may need is kept.
 */
export function revisionReferences(object: KubeObject): { kind: ConfigKind; name: string }[] {
  const { kind, spec, data } = object as RevisionObject;
  // The data is a patch of the workload that contains the complete pod template.
  const template = kind === 'ControllerRevision' ? field(field(data, 'spec'), 'template') : spec?.template;
  try {
    if (isMap(template)) return findReferences(template).filter(({ name }) => typeof name === 'string');
    if (kind === 'ReplicaSet') return [];
  } catch {
    // A list in the template is none, or has an entry that is null.
  }
  return versionNamesIn(data).flatMap((name) => [
    { kind: 'ConfigMap' as const, name },
    { kind: 'Secret' as const, name },
  ]);
}

interface RevisionObject extends KubeObject {
  spec?: { template?: PodTemplate };
  data?: unknown;
}

function versionNamesIn(data: unknown): string[] {
  const names = new Set<string>();
  JSON.stringify(data, (_, value) => {
    if (typeof value === 'string' && configNameIn(value) !== undefined) names.add(value);
    return value;
  });
  return [...names];
}

function field(value: unknown, name: string): unknown {
  return isMap(value) ? (value as Record<string, unknown>)[name] : undefined;
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
