import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import { withOwner, withoutOwner } from './owner-references.ts';

function reference(name: string, uid: string, kind = 'Deployment'): OwnerReference {
  return { apiVersion: 'apps/v1', kind, name, uid };
}

const bar = reference('bar', '1');
const other = reference('bar', '9', 'StatefulSet');

describe('the owner of a config', () => {
  test('is added to the others, and only once', () => {
    expect(withOwner([], bar)).toEqual([bar]);
    expect(withOwner([other], bar)).toEqual([other, bar]);
    expect(withOwner([other, { ...bar, controller: true }], bar)).toBeUndefined();
  });

  test('replaces one that was deleted and created again', () => {
    expect(withOwner([reference('bar', 'old'), other], bar)).toEqual([other, bar]);
  });

  test('is removed by its name', () => {
    expect(withoutOwner([bar, other], { kind: 'Deployment', name: 'bar' })).toEqual([other]);
    expect(withoutOwner([other], { kind: 'Deployment', name: 'bar' })).toBeUndefined();
  });
});
