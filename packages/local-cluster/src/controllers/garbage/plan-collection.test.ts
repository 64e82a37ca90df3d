import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JudgedOwner, type OwnerState, planCollection } from './plan-collection.ts';

const owner = (state: OwnerState, uid: string = state): JudgedOwner => ({
  reference: { apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid },
  state,
});
const remove = (policy: string, unblock = false) => ({ act: 'delete', policy, unblock });

describe('what becomes of an object', () => {
  test.each<[string, OwnerState[], string[], boolean[], object]>([
    ['without owners it stays', [], [], [], { act: 'keep' }],
    ['with an owner that is there it stays', ['solid'], [], [], { act: 'keep' }],
    [
      'it forgets an owner that is gone',
      ['solid', 'absent'],
      [],
      [],
      { act: 'drop-owners', uids: ['absent'] },
    ],
    [
      'it forgets an owner that waits for it',
      ['waiting', 'solid'],
      [],
      [],
      { act: 'drop-owners', uids: ['waiting'] },
    ],
    ['with all owners gone it goes', ['absent', 'absent'], [], [], remove('Background')],
    ['it leaves orphans when it was told to', ['absent'], ['orphan'], [], remove('Orphan')],
    [
      'it waits for its own when it was told to',
      ['absent'],
      ['foregroundDeletion'],
      [],
      remove('Foreground'),
    ],
    ['for an owner that waits it goes', ['waiting'], [], [], remove('Background')],
    ['for an owner that waits its own go first', ['waiting'], [], [false], remove('Foreground')],
    ['in a circle nobody blocks', ['waiting'], [], [false, true], remove('Foreground', true)],
  ])('%s', (_, states, finalizers, waits, plan) => {
    const owners = states.map((state) => owner(state));
    const dependents = waits.map((each) => ({ waits: each }));
    expect(planCollection({ owners, finalizers, dependents })).toEqual(plan);
  });
});

test('whatever its owners are: one that is there keeps it, and none that is there is forgotten', () => {
  const states = fc.array(fc.constantFrom<OwnerState>('solid', 'absent', 'waiting'), { maxLength: 5 });
  fc.assert(
    fc.property(states, fc.boolean(), (all, hasDependents) => {
      const owners = all.map((state, index) => owner(state, `${state}-${index}`));
      const dependents = hasDependents ? [{ waits: false }] : [];
      const plan = planCollection({ owners, finalizers: [], dependents });
      const isKept = all.length === 0 || all.includes('solid');
      expect(plan.act === 'delete').toBe(!isKept);
      if (plan.act === 'drop-owners')
        expect(plan.uids).toEqual(
          owners.filter(({ state }) => state !== 'solid').map(({ reference }) => reference.uid),
        );
    }),
  );
});
