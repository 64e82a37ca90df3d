import { expect, test } from 'vitest';
import type { Lists } from './judge.ts';
import { runShards } from './run-shards.ts';
import type { Shard } from './shards.ts';

const lists: Lists = {
  mustPass: { '[sig-x] Watchers': ['should watch', 'should bookmark', 'should resume'] },
  failsYet: [],
  cannotApply: [],
  concerns: () => false,
};

/** Fake runs: the `n`-th run of a spec ends as the `n`-th ending specifies, and passes when it is not named there. */
function runsThat(...endings: Record<string, 'failed' | 'passed'>[]) {
  const ran = new Map<string, number>();
  const shards: Shard[] = [];
  const run = async (shard: Shard): Promise<string> => {
    shards.push(shard);
    const SpecReports = shard.names.map((name) => {
      const times = ran.get(name) ?? 0;
      ran.set(name, times + 1);
      const [, text = ''] = name.split('[sig-x] Watchers ');
      const State = endings[times]?.[text] ?? 'passed';
      return {
        ...{ ContainerHierarchyTexts: ['[sig-x] Watchers'], LeafNodeType: 'It', LeafNodeText: text },
        ...{ State, RunTime: 1e9, ...(State === 'failed' && { Failure: { Message: 'no' } }) },
      };
    });
    return JSON.stringify([{ SpecReports }]);
  };
  return { run, shards };
}

test('a spec that fails and passes alone is flaky', async () => {
  const { run, shards } = runsThat({ 'should watch': 'failed' });
  const { rows, flaky, broken } = await runShards(lists, 'all', run);
  expect(flaky).toEqual(['[sig-x] Watchers should watch']);
  expect(rows.filter(({ wrong }) => wrong)).toEqual([]);
  expect(broken).toEqual([]);
  expect(shards.at(-1)?.names).toEqual(['[sig-x] Watchers should watch']);
});

test('a spec that fails twice has failed', async () => {
  const { run } = runsThat({ 'should watch': 'failed' }, { 'should watch': 'failed' });
  const { rows, flaky } = await runShards(lists, 'all', run);
  expect(flaky).toEqual([]);
  expect(rows.filter(({ wrong }) => wrong).map(({ name }) => name)).toEqual([
    '[sig-x] Watchers should watch',
  ]);
});

test('what passes is run once', async () => {
  const { run, shards } = runsThat();
  await runShards(lists, 'all', run);
  expect(shards.flatMap(({ names }) => names).toSorted()).toHaveLength(3);
});

test('a shard that breaks down is a failure, and its specs did not run', async () => {
  const { rows, broken } = await runShards(lists, 'all', () => Promise.reject(new Error('no cluster')));
  expect(broken[0]).toContain('no cluster');
  expect(rows.every(({ wrong }) => wrong)).toBe(true);
});
