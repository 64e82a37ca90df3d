import { type Lists, namesToRun } from './judge.ts';

/** Which specs to run: `quick` skips those that take about a minute or more each. */
export type Share = 'quick' | 'all';

/** Specs that run in sequence on a separate local cluster. */
export interface Shard {
  names: string[];
  /** How long the cluster keeps its history; set for a spec that waits for compaction. */
  historyMs?: number;
}

/** Specs that wait for about a minute, or need a cluster with a different configuration. */
const slow: readonly { spec: RegExp; historyMs?: number }[] = [
  { spec: /CustomResourceDefinition Watch watch on custom resource definition objects/ },
  { spec: /Garbage collector should support orphan deletion of custom resources/ },
  { spec: /continue listing from the last key if the original version has been compacted/, historyMs: 5_000 },
];

/** Number of shards for the other specs, which mostly wait. */
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
