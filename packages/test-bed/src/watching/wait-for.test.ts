import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { renderClusterState } from '../story/scene.ts';
import { Account } from './account.ts';
import { waitFor } from './wait-for.ts';

test('an account tells distinct states with their times, and does not repeat itself', () => {
  const account = new Account();
  account.note(0, 'no pod');
  account.note(100, 'no pod');
  account.note(200, 'no pod');
  account.note(1_500, 'Pending');
  expect(account.render()).toBe('     0.0 s  no pod (3 times, until 0.2 s)\n     1.5 s  Pending');
  expect(new Account().render()).toBe('  no state was observed');
});

test('a look that found nothing at all is told as well', () => {
  const account = new Account();
  account.note(0, JSON.stringify(undefined));
  account.note(100, JSON.stringify(undefined));
  expect(account.render()).toBe('     0.0 s  nothing (2 times, until 0.1 s)');
});

test('a long account keeps its beginning and its end', () => {
  const account = new Account(4);
  for (let i = 0; i < 10; i++) account.note(i * 1000, `state ${i}`);
  const lines = account.render().split('\n');
  expect(lines.map((line) => line.replace(/^.* s {2}/, ''))).toEqual([
    'state 0',
    'state 1',
    '          … 6 more states omitted …',
    'state 8',
    'state 9',
  ]);
});

test('a wait ends as soon as it finds what it waits for', async () => {
  let looks = 0;
  const found = await waitFor(
    'the third look',
    async () => (++looks === 3 ? { met: looks } : { seen: 'no' }),
    {
      everyMs: 1,
    },
  );
  expect(found).toBe(3);
});

test('a wait that runs out tells what it saw, and what was around', async () => {
  let looks = 0;
  const waiting = waitFor(
    'web to be ready',
    async () => {
      looks += 1;
      if (looks === 1) throw new NetworkError('ECONNREFUSED', 'no', 'the server is away');
      return { seen: 'Deployment web: 0 of 2' };
    },
    { timeoutMs: 20, everyMs: 5, scene: async () => 'Pods: none' },
  );
  const { message } = await waiting.then(
    () => new Error('the wait did not time out'),
    (error: Error) => error,
  );
  expect(message).toMatch(/^Timed out after 0\.\d s waiting for: web to be ready\. Observed:\n/);
  expect(message).toContain('the server is away');
  expect(message).toContain('Deployment web: 0 of 2');
  expect(message).toContain('Pods: none');
});

test('a mistake in a test is not waited for', async () => {
  const mistaken = waitFor('nothing', async () => {
    throw new TypeError('undefined is not a function');
  });
  await expect(mistaken).rejects.toThrow(TypeError);
});

test('the scene shows pods and the latest events, oldest first', () => {
  const event = (resourceVersion: string, reason: string, count?: number) => ({
    metadata: { resourceVersion },
    involvedObject: { kind: 'Pod', name: 'web-1' },
    reason,
    message: 'because',
    ...(count === undefined ? {} : { count }),
  });
  expect(renderClusterState('ns', [], [event('10', 'BackOff', 3), event('9', 'Created')])).toBe(
    'Pods in ns now:\n  none\nLatest events in ns:\n  Pod web-1: Created: because\n  Pod web-1: BackOff: because (3 times)',
  );
});

test('a wait with news does not run out while there are some', async () => {
  let looks = 0;
  const news = () => (looks < 20 ? performance.now() : 0);
  const look = async () => {
    looks += 1;
    return { seen: `look ${looks}` };
  };
  await expect(waitFor('nothing', look, { timeoutMs: 1, everyMs: 1, lastNews: news })).rejects.toThrow(
    'look 20',
  );
});
