import { describe, expect, test } from 'vitest';
import { byPriority, type Definition } from './definition.ts';
import { nextStatus } from './naming.ts';

const now = Date.parse('2026-11-15T12:00:00Z');

function definition(plural: string, more: Partial<Definition['spec']['names']> = {}): Definition {
  const names = { plural, singular: plural.slice(0, -1), kind: 'Thing', listKind: 'ThingList', ...more };
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [] },
  };
}

/** All steps of a definition's status until it no longer changes. */
function steps(of: Definition, others: Definition[] = []): string[] {
  const seen: string[] = [];
  for (let step = 0; step < 5; step++) {
    const next = nextStatus(of, others, now);
    if (next === undefined) return seen;
    of.status = next;
    seen.push(
      (next.conditions ?? []).map(({ type, status, reason }) => `${type}=${status}:${reason}`).join(' '),
    );
  }
  throw new Error('the status still changes after 5 steps');
}

describe('a definition', () => {
  test('has its names accepted first, and is established then', () => {
    expect(steps(definition('things'))).toEqual([
      'NamesAccepted=True:NoConflicts Established=False:Installing',
      'NamesAccepted=True:NoConflicts Established=True:InitialNamesAccepted',
    ]);
  });

  test.each([
    ['things', {}, 'PluralConflict'],
    ['others', { singular: 'thing' }, 'SingularConflict'],
    ['others', { shortNames: ['th'], kind: 'Other', listKind: 'OtherList' }, 'ShortNamesConflict'],
    ['others', {}, 'KindConflict'],
    ['others', { kind: 'Other' }, 'ListKindConflict'],
  ])('%s %j cannot have what another one has', (plural, names, reason) => {
    const first = definition('things', { shortNames: ['th'] });
    steps(first);
    expect(steps(definition(plural, names), [first])).toEqual([
      `NamesAccepted=False:${reason} Established=False:NotAccepted`,
    ]);
  });

  test('that is going is left as it is', () => {
    const going = definition('things');
    going.metadata.deletionTimestamp = '2026-11-15T12:00:00Z';
    expect(steps(going)).toEqual([]);
  });
});

test('versions are told the steadiest first', () => {
  const versions = ['foo', 'v1alpha1', 'v10', 'v1', 'v1beta2', 'bar', 'v2', 'v1beta1'];
  expect(versions.sort(byPriority)).toEqual([
    'v10',
    'v2',
    'v1',
    'v1beta2',
    'v1beta1',
    'v1alpha1',
    'bar',
    'foo',
  ]);
});
