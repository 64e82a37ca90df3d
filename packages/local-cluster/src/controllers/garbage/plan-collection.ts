import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { foreground, orphan } from './owner-graph.ts';

/** `solid`: it is there, and stays or goes by itself. `waiting`: it goes, and waits for its dependents. */
export type OwnerState = 'solid' | 'absent' | 'waiting';

export interface JudgedOwner {
  reference: OwnerReference;
  state: OwnerState;
}

interface Candidate {
  owners: readonly JudgedOwner[];
  finalizers: readonly string[];
  /** Whether each of what it owns itself waits for dependents of its own. */
  dependents: readonly { waits: boolean }[];
}

export type Collection =
  | { act: 'keep' }
  /** It keeps its other owners. */
  | { act: 'drop-owners'; uids: string[] }
  | {
      act: 'delete';
      policy: 'Background' | 'Foreground' | 'Orphan';
      /** Whether its own references stop to block first: in a circle everybody would wait for everybody. */
      unblock: boolean;
    };

/** What becomes of an object, by the owners that it names: one that is there keeps it, none at all does, too. */
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
