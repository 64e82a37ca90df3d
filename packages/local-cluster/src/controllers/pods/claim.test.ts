import type { KubeObject } from '@trimtab/kube/wire.ts';
import { expect, test } from 'vitest';
import { claim } from './claim.ts';

const owner: KubeObject = { metadata: { name: 'web', uid: 'u1' } };
const going: KubeObject = { metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
const object = (name: string, app: string, controller?: string, isGoing = false): KubeObject => ({
  metadata: {
    name,
    labels: { app },
    ...(isGoing && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    ...(controller && {
      ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: controller, controller: true }],
    }),
  },
});
const candidates = [
  object('mine', 'web', 'u1'),
  object('mine, relabelled', 'other', 'u1'),
  object('of another', 'web', 'u2'),
  object('an orphan', 'web'),
  object('an orphan that goes', 'web', undefined, true),
  object('unrelated', 'other'),
];
const names = (by: KubeObject) => {
  const { owned, adopt, release } = claim(by, { matchLabels: { app: 'web' } }, candidates);
  return [owned, adopt, release].map((list) => list.map(({ metadata }) => metadata.name));
};

test('what it controls is its own, orphans it selects are adopted, what it selects no more is let go', () => {
  expect(names(owner)).toEqual([['mine'], ['an orphan'], ['mine, relabelled']]);
});

test('an owner that is being deleted keeps what it has', () => {
  expect(names(going)).toEqual([['mine'], [], []]);
});
