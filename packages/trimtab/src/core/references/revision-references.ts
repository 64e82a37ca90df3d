import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { configNameIn } from '../version/object-names.ts';
import { type ConfigKind, templateReferences } from './references.ts';

/**
 * Returns what the pods of a ReplicaSet or ControllerRevision name. The API server accepts any data in a
 * ControllerRevision. When the data is no pod template, every text in it with the form of a version's name, alone or in
 * an annotation that assigns versions, counts as a reference, so that a version that the revision may need is kept.
 */
export function revisionReferences(object: KubeObject): { kind: ConfigKind; name: string }[] {
  const { kind, spec, data } = object as RevisionObject;
  // The data is a patch of the workload that contains the complete pod template.
  const template = kind === 'ControllerRevision' ? field(field(data, 'spec'), 'template') : spec?.template;
  try {
    if (isMap(template)) return templateReferences(template).filter(({ name }) => typeof name === 'string');
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
    const texts = typeof value === 'string' ? value.split(/[,=]/) : [];
    for (const text of texts) if (configNameIn(text) !== undefined) names.add(text);
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
