import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { labels } from '../../api/names.ts';
import type { ControllerContext } from '../context.ts';
import { marksAreSeen } from './marks-are-seen.ts';
import type { ObservedRollout } from './observe.ts';

const asked: string[] = [];

/** A server where versions have these states; what is not named is gone. */
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

/** The cache: foo-1 is labelled current, and the status says another. */
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
  marksAreSeen(context, seen(contradicted, said), new AbortController().signal);

test('where status and marks agree, the server is not asked', async () => {
  expect(await look(serverWith({}), false)).toBe(true);
  expect(asked).toEqual([]);
});

test('marks that are as we see them are the facts', async () => {
  expect(await look(serverWith({ 'foo-0': 'not-current', 'foo-1': 'current' }))).toBe(true);
  expect(asked).toEqual(['foo-0', 'foo-1']);
});

test.each([
  ['the status is the news: marks have changed', { 'foo-0': 'current', 'foo-1': 'not-current' }],
  ['a version is gone', { 'foo-0': 'not-current' }],
])('another look is needed when %s', async (_, states) => {
  expect(await look(serverWith(states))).toBe(false);
});

test('a status that names what we have not seen yet is the news when the mark of the old one is gone', async () => {
  expect(await look(serverWith({ 'foo-1': 'not-current', 'foo-3': 'current' }), true, 'foo-3')).toBe(false);
  expect(asked).toEqual(['foo-1']);
});

test('a status that names what never was is a lie when the mark is where we see it', async () => {
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
  expect(await marksAreSeen(serverWith(states), rolledBack(state), signal)).toBe(isSeen);
  expect(asked).toEqual(questions);
});
