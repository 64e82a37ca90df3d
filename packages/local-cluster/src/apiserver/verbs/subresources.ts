import type { Kind } from '../kinds/kind.ts';

export interface Subresource {
  name: string;
  kind: string;
  /** Where its kind is of another group than the resource. */
  group?: string;
  version?: string;
  verbs: readonly string[];
}

const readAndWrite = ['get', 'patch', 'update'];

/** What discovery tells and what requests may ask for. */
export function subresourcesOf(kind: Kind): Subresource[] {
  const found: Subresource[] = [];
  if (kind.kind === 'Namespace') found.push({ name: 'finalize', kind: 'Namespace', verbs: ['update'] });
  if (kind.hasScale)
    found.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: readAndWrite });
  if (kind.hasStatus) {
    const status = { name: 'status', kind: kind.kind, verbs: readAndWrite };
    // Of custom resources the status is told first.
    if (kind.custom === undefined) found.push(status);
    else found.unshift(status);
  }
  return [...found, ...(kind.otherSubresources ?? [])];
}
