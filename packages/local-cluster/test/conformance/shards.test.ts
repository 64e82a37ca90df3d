import { expect, test } from 'vitest';
import { focusOn } from './focus.ts';
import { namesToRun } from './judge.ts';
import { shards } from './shards.ts';
import { lists } from './specs.ts';

test('every spec that is to run is in one shard, and in no other', () => {
  const dealt = shards(lists, 'all').flatMap(({ names }) => names);
  expect(dealt.toSorted()).toEqual(namesToRun(lists).toSorted());
});

test('the quick share leaves out the three specs that take longest, and nothing else', () => {
  const quick = new Set(shards(lists, 'quick').flatMap(({ names }) => names));
  expect(namesToRun(lists).filter((name) => !quick.has(name))).toHaveLength(3);
});

test('a spec that waits until history is forgotten has a cluster that forgets soon', () => {
  const waiting = shards(lists, 'all').filter(({ historyMs }) => historyMs !== undefined);
  expect(waiting.map(({ names }) => names.length)).toEqual([1]);
});

test('a focus matches the names it is made of, whole, and nothing else', () => {
  const focus = new RegExp(focusOn(namesToRun(lists)));
  for (const name of namesToRun(lists)) {
    expect(`Kubernetes e2e suite ${name}`).toMatch(focus);
    expect(`Kubernetes e2e suite ${name} again`).not.toMatch(focus);
    expect(`Kubernetes e2e suite not ${name}`).not.toMatch(focus);
  }
});
