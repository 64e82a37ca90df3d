import type { KubeClient } from '@trimtab/kube/client.ts';
import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { currentTag } from './current-tag.ts';
import { PersonCurrent } from './person-current.ts';

const version = {
  kind: 'ConfigMap',
  metadata: {
    name: 'foo-0',
    labels: { [labels.config]: 'foo', [labels.versionOf]: 'u', [labels.state]: 'current' },
    annotations: {
      [annotations.config]: 'foo',
      [annotations.version]: '1.0.0',
      [annotations.sequence]: '1',
      [annotations.contentHash]: 'hash',
    },
  },
  data: { color: 'blue' },
};
const client = { get: async () => version } as unknown as KubeClient;
const address = { kind: 'ConfigMap', namespace: 'n', name: 'foo' } as const;
const watches = { rollouts: () => Promise.reject(new Error('not watched')) };
const { signal } = new AbortController();

/** A ConfigRollout whose version 1.0.0 is current. */
interface State {
  requested?: string;
  /** Whether the controller has seen the request. */
  observed?: string;
  target?: string;
}

const rollout = ({ requested, observed, target }: State) =>
  ({
    metadata: { uid: 'u', resourceVersion: '1' },
    spec: { config: { kind: 'ConfigMap', name: 'foo' }, ...(requested && { version: requested }) },
    status: {
      current: { version: '1.0.0', object: 'foo-0' },
      observed: { ...(observed && { specVersion: observed }) },
      ...(target && { target: { version: target, object: `foo-${target}` } }),
    },
  }) as unknown as ConfigRollout;

async function shown(state: State): Promise<{ tag: string; body: string }> {
  const now = await new PersonCurrent(client, address, watches).of(rollout(state), signal);
  if (now === undefined) throw new Error('the config has no version');
  return { tag: currentTag(now, 'json'), body: (await now.read(signal)).text };
}

test('two states with the same entity tag have the same body', async () => {
  const versions = [undefined, '1.0.0', '1.0.1', '1.0.2'];
  const states = versions.flatMap((requested) =>
    versions.flatMap((observed) =>
      [undefined, '1.0.1', '1.0.2'].map((target) => ({
        ...(requested && { requested }),
        ...(observed && { observed }),
        ...(target && { target }),
      })),
    ),
  );
  const bodies = new Map<string, Set<string>>();
  for (const state of states) {
    const { tag, body } = await shown(state);
    bodies.set(tag, (bodies.get(tag) ?? new Set()).add(body));
  }
  expect([...bodies.values()].map(({ size }) => size)).toEqual([...bodies].map(() => 1));
});

test('the tag changes with a request, also while its activation cannot begin', async () => {
  const tags = await Promise.all(
    [
      {},
      { requested: '1.0.1' },
      { requested: '1.0.2' },
      { requested: '1.0.1', observed: '1.0.1', target: '1.0.1' },
      { requested: '1.0.2', observed: '1.0.1', target: '1.0.1' },
      // A return to the current version.
      { requested: '1.0.0', observed: '1.0.1', target: '1.0.1' },
    ].map(async (state) => (await shown(state)).tag),
  );
  expect(new Set(tags).size).toBe(tags.length);
});
