import { expect, test } from 'vitest';
import { labels } from '../../api/names.ts';
import type { KeptVersion } from '../../core/retention/retention.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { Revision } from '../cache/revisions.ts';
import { usersOf } from './version-users.ts';

const revision = (uid: string, deleting = false) => ({ uid, deleting }) as Revision;
const workload = {} as Workload;

interface Case {
  pods?: number;
  revisions?: Revision[];
  workloads?: Workload[];
  inUse?: boolean;
}

test.each<[string, KeptVersion['users'], Case]>([
  ['nobody', 'none', {}],
  ['nobody any more, but the label is still there', 'leaving', { inUse: true }],
  ['a pod', 'others', { pods: 1 }],
  ['a pod of a revision that owns it', 'others', { pods: 1, revisions: [revision('owner')] }],
  ['a template that has no revision yet', 'others', { workloads: [workload] }],
  ['a revision that owns it', 'owners', { revisions: [revision('owner')], inUse: true }],
  ['a revision that does not own it', 'others', { revisions: [revision('owner'), revision('lone')] }],
  ['a revision that is going', 'leaving', { revisions: [revision('owner', true)] }],
  [
    'one that goes and one that stays',
    'owners',
    { revisions: [revision('owner', true), revision('second')] },
  ],
])('a version named by %s is used by %s', (_, expected, { inUse = false, ...users }) => {
  const ownerReferences = ['rollout', 'owner', 'second'].map((uid) => ({
    uid,
    apiVersion: 'any',
    kind: 'Any',
    name: uid,
  }));
  const metadata = { ownerReferences, labels: inUse ? { [labels.inUse]: 'true' } : {} };
  expect(usersOf(metadata, { pods: 0, revisions: [], workloads: [], ...users })).toBe(expected);
});
