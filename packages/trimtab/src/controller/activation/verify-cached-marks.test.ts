import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { labels } from '../../api/names.ts';
import type { ControllerContext } from '../context.ts';
import type { ObservedRollout } from './observe.ts';
import { cachedMarksAreCurrent } from './verify-cached-marks.ts';

const asked: string[] = [];

/** An API server where versions have these states; other versions do not exist. */
function serverWith(states: Record<string, string>): ControllerContext {
  asked.length = 0;
  const get: Pick<KubeClient, 'get'>['get'] = async (_, { name }) => {
    asked.push(name);
    const state = states[name];
    if (state === undefined) throw new ApiError(404, { apiVersion: 'v1', kind: 'Status' });
    return { metadata: { name, labels: { [labels.state]: state } } } as never;
  };
  return { client: { get } } as unknown as ControllerContext;
}

/** In the cache, foo-1 is labelled current and the status names `said`. */
const seen = (contradicted: boolean, said: string) =>
  [
    {
      contradicted,
      rollout: { status: { current: { object: said } } },
      versions: [
        { kind: 'ConfigMap', namespace: 'ns', object: 'foo-0', state: 'not-current' },
        { kind: 'ConfigMap', namespace: 'ns', object: 'foo-1', state: 'current' },
        { kind: 'ConfigMap', namespace: 'ns', object: 'foo-2', state: 'rejected' },
      ],
    },
  ] as unknown as ObservedRollout[];
const look = (context: ControllerContext, contradicted = true, said = 'foo-0') =>
  cachedMarksAreCurrent(context, seen(contradicted, said), new AbortController().signal);

test('where status and marks agree, the server is not asked', async () => {
  expect(await look(serverWith({}), false)).toBe(true);
  expect(asked).toEqual([]);
});

test('marks that are as we see them are the facts', async () => {
  expect(await look(serverWith({ 'foo-0': 'not-current', 'foo-1': 'current' }))).toBe(true);
  expect(asked).toEqual(['foo-0', 'foo-1']);
});

test.each([
  ['the status is newer: marks have changed', { 'foo-0': 'current', 'foo-1': 'not-current' }],
  ['a version is gone', { 'foo-0': 'not-current' }],
])('another look is needed when %s', async (_, states) => {
  expect(await look(serverWith(states))).toBe(false);
});

test('a status that names a version outside of the cache is newer when the old version has lost its mark', async () => {
  expect(await look(serverWith({ 'foo-1': 'not-current', 'foo-3': 'current' }), true, 'foo-3')).toBe(false);
  expect(asked).toEqual(['foo-1']);
});

test('a status that names a version that does not exist is wrong when the mark is as in the cache', async () => {
  expect(await look(serverWith({ 'foo-1': 'current' }), true, 'foo-9')).toBe(true);
});

const rolledBack = (state: string) =>
  [
    {
      contradicted: false,
      rollout: { status: { phase: 'Failed', history: [{ version: '1.0.2', result: 'RolledBack' }] } },
      versions: [
        { kind: 'ConfigMap', namespace: 'ns', name: '1.0.1', object: 'foo-1', state: 'current' },
        { kind: 'ConfigMap', namespace: 'ns', name: '1.0.2', object: 'foo-2', state },
      ],
    },
  ] as unknown as ObservedRollout[];

test.each([
  ['was seen to be rejected: nobody is asked', 'rejected', {}, true, []],
  ['is rejected, which was not seen yet', 'not-current', { 'foo-2': 'rejected' }, false, ['foo-2']],
  ['is not rejected any more', 'not-current', { 'foo-2': 'not-current' }, true, ['foo-2']],
] as const)('a version that was rolled back and %s', async (_, state, states, isSeen, questions) => {
  const { signal } = new AbortController();
  expect(await cachedMarksAreCurrent(serverWith(states), rolledBack(state), signal)).toBe(isSeen);
  expect(asked).toEqual(questions);
});
