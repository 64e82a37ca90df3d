import type { Kind } from '../kinds/kind.ts';

export interface Subresource {
  name: string;
  kind: string;
  /** Set when the kind is of another group than the resource. */
  group?: string;
  version?: string;
  verbs: readonly string[];
}

const readAndWrite = ['get', 'patch', 'update'];

/** Returns the subresources that discovery lists and that requests can use. */
export function subresourcesOf(kind: Kind): Subresource[] {
  const found: Subresource[] = [];
  if (kind.kind === 'Namespace') found.push({ name: 'finalize', kind: 'Namespace', verbs: ['update'] });
  if (kind.hasScale)
    found.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: readAndWrite });
  if (kind.hasStatus) {
    const status = { name: 'status', kind: kind.kind, verbs: readAndWrite };
    // For custom resources, discovery lists the status first.
    if (kind.custom === undefined) found.push(status);
    else found.unshift(status);
  }
  return [...found, ...(kind.otherSubresources ?? [])];
}
