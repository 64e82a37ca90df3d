import { type Lists, namesToRun } from './judge.ts';

/** Which specs to run: `quick` leaves out those that take up to a minute and more by themselves. */
export type Share = 'quick' | 'all';

/** Specs that run one after the other, on a local cluster of their own. */
export interface Shard {
  names: string[];
  /** How long that cluster remembers, where a spec waits until it forgets. */
  historyMs?: number;
}

/** Specs that wait for a minute by themselves, or need a cluster unlike the others. */
const slow: readonly { spec: RegExp; historyMs?: number }[] = [
  { spec: /CustomResourceDefinition Watch watch on custom resource definition objects/ },
  { spec: /Garbage collector should support orphan deletion of custom resources/ },
  { spec: /continue listing from the last key if the original version has been compacted/, historyMs: 5_000 },
];

/** The rest is dealt out to so many: they wait more than they work. */
const others = 4;

export function shards(lists: Lists, share: Share): Shard[] {
  const names = namesToRun(lists);
  const own = slow.map(({ spec, ...rest }) => ({ names: names.filter((name) => spec.test(name)), ...rest }));
  const left = names.filter((name) => !slow.some(({ spec }) => spec.test(name)));
  const dealt = Array.from({ length: others }, (_, turn) => ({
    names: left.filter((_name, index) => index % others === turn),
  }));
  return [...(share === 'all' ? own : []), ...dealt].filter((shard) => shard.names.length > 0);
}
