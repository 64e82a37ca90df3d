import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { foreground, orphan } from './owner-graph.ts';

/** `solid`: the owner exists and does not wait for dependents. `waiting`: it is deleted after its dependents. */
export type OwnerState = 'solid' | 'absent' | 'waiting';

export interface JudgedOwner {
  reference: OwnerReference;
  state: OwnerState;
}

interface Candidate {
  owners: readonly JudgedOwner[];
  finalizers: readonly string[];
  /** The object's dependents, and whether each one waits for its own dependents. */
  dependents: readonly { waits: boolean }[];
}

export type Collection =
  | { act: 'keep' }
  /** Removes these owners and keeps the others. */
  | { act: 'drop-owners'; uids: string[] }
  | {
      act: 'delete';
      policy: 'Background' | 'Foreground' | 'Orphan';
      /** Whether to set blockOwnerDeletion to false first: in a cycle every object would wait for the others. */
      unblock: boolean;
    };

/** Decides by the owners whether to keep an object. An object without owners, or with a solid one, is kept. */
export function planCollection({ owners, finalizers, dependents }: Candidate): Collection {
  const of = (...states: OwnerState[]) => owners.filter(({ state }) => states.includes(state));
  if (owners.length === 0) return { act: 'keep' };
  if (of('solid').length > 0) {
    const uids = of('absent', 'waiting').map(({ reference }) => reference.uid);
    return uids.length === 0 ? { act: 'keep' } : { act: 'drop-owners', uids };
  }
  if (of('waiting').length > 0 && dependents.length > 0)
    return { act: 'delete', policy: 'Foreground', unblock: dependents.some(({ waits }) => waits) };
  const asked = finalizers.includes(orphan)
    ? 'Orphan'
    : finalizers.includes(foreground)
      ? 'Foreground'
      : 'Background';
  return { act: 'delete', policy: asked, unblock: false };
}
