import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import type { Pod } from '../../objects/pod.ts';
import { Creations } from './creations.ts';

const pod = (name: string, uid = name): Pod => ({
  metadata: { name, uid, namespace: 'ns' },
  spec: { containers: [] },
});

function scene() {
  const cache = new Map<string, Pod>();
  const clock = new ManualClock();
  const creations = new Creations(clock, (key) => cache.get(key));
  return {
    cache,
    clock,
    creations,
    unseen: () => creations.unseenOf('owner').map((each) => each.metadata.uid),
  };
}

test('a pod that was made counts until the cache shows it', () => {
  const { cache, creations, unseen } = scene();
  creations.add('owner', pod('a'));
  creations.add('owner', pod('b'));
  expect(unseen()).toEqual(['a', 'b']);
  cache.set('ns/a', pod('a'));
  expect(unseen()).toEqual(['b']);
  expect(creations.unseenOf('another')).toEqual([]);
});

test('another pod of the same name is not the one that was made', () => {
  const { cache, creations, unseen } = scene();
  cache.set('ns/a', pod('a', 'older'));
  creations.add('owner', pod('a', 'newer'));
  expect(unseen()).toEqual(['newer']);
});

test('a pod that is gone, or was never seen for five minutes, does not count for ever', async () => {
  const { clock, creations, unseen } = scene();
  creations.add('owner', pod('a'));
  creations.add('owner', pod('b'));
  creations.forget('owner', 'a');
  expect(unseen()).toEqual(['b']);
  await clock.advance(5 * 60_000);
  expect(unseen()).toEqual([]);
});
