import type { KubeClient, RawRequest } from '@trimtab/kube/client.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import { ReviewSlots } from '../limits/review-slots.ts';
import { podIdentifier } from './identify-pod.ts';
import type { TokenReview } from './pod-review.ts';
import { reviewMetrics } from './review-metrics.ts';

const { signal } = new AbortController();
const token = (seconds: number, clock: ManualClock) =>
  `e30.${Buffer.from(JSON.stringify({ exp: clock.now() / 1000 + seconds })).toString('base64url')}.s`;

const accepted: TokenReview['status'] = {
  authenticated: true,
  audiences: ['trimtab.dev'],
  user: {
    username: 'system:serviceaccount:shop:default',
    extra: {
      'authentication.kubernetes.io/pod-name': ['web-1'],
      'authentication.kubernetes.io/pod-uid': ['u-1'],
    },
  },
};

function scene(answer: () => TokenReview['status']) {
  const clock = new ManualClock();
  const registry = createRegistry();
  let asked = 0;
  const client = {
    raw: async ({ path }: RawRequest) => {
      expect(path).toBe('/apis/authentication.k8s.io/v1/tokenreviews');
      asked += 1;
      return { metadata: {}, status: answer() };
    },
  } as unknown as KubeClient;
  const identifyFrom = podIdentifier(client, clock, new ReviewSlots(), reviewMetrics(registry));
  const identify = (its: string, aborted: AbortSignal) => identifyFrom(its, '192.0.2.1', aborted);
  return { clock, identify, asked: () => asked, metrics: () => registry.render() };
}

test('the cluster tells which pod a token belongs to, and is asked once for a while', async () => {
  const { clock, identify, asked } = scene(() => accepted);
  const its = token(3_600, clock);
  const pod = { is: 'pod', namespace: 'shop', name: 'web-1', uid: 'u-1' };
  expect(await Promise.all([identify(its, signal), identify(its, signal)])).toEqual([pod, pod]);
  await clock.advance(29_000);
  await identify(its, signal);
  expect(asked()).toBe(1);
  await clock.advance(2_000);
  await identify(its, signal);
  expect(asked()).toBe(2);
});

test('no answer is remembered for longer than the token lives', async () => {
  const { clock, identify, asked } = scene(() => accepted);
  const its = token(5, clock);
  await identify(its, signal);
  await clock.advance(6_000);
  await identify(its, signal);
  expect(asked()).toBe(2);
});

test('a refusal is remembered for a moment', async () => {
  const { clock, identify, asked } = scene(() => ({ authenticated: false }));
  const its = token(3_600, clock);
  await expect(identify(its, signal)).rejects.toMatchObject({ body: { code: 401 } });
  await expect(identify(its, signal)).rejects.toMatchObject({ body: { code: 401 } });
  expect(asked()).toBe(1);
  await clock.advance(3_500);
  await expect(identify(its, signal)).rejects.toMatchObject({ body: { code: 401 } });
  expect(asked()).toBe(2);
});

test('a cluster that does not answer is asked again at once', async () => {
  let isDown = true;
  const { clock, identify } = scene(() => {
    if (isDown) throw new NetworkError('ECONNREFUSED', 'no', 'down');
    return accepted;
  });
  const its = token(3_600, clock);
  await expect(identify(its, signal)).rejects.toBeInstanceOf(NetworkError);
  isDown = false;
  expect(await identify(its, signal)).toMatchObject({ name: 'web-1' });
});

test('reviews are counted by result; remembered answers are not', async () => {
  const answers: (() => TokenReview['status'])[] = [
    () => accepted,
    () => ({ authenticated: false }),
    () => {
      throw new NetworkError('ECONNREFUSED', 'no', 'down');
    },
  ];
  const { clock, identify, metrics } = scene(() => answers.shift()?.());
  const first = token(60, clock);
  await identify(first, signal);
  await identify(first, signal);
  for (const seconds of [61, 62]) await identify(token(seconds, clock), signal).catch(() => {});
  for (const result of ['accepted', 'refused', 'failed'])
    expect(metrics()).toContain(`trimtab_gateway_token_reviews_total{result="${result}"} 1`);
  expect(metrics()).toContain('trimtab_gateway_token_review_duration_seconds_count 3');
});

test.each([
  ['for another audience', { ...accepted, audiences: ['other'] }, 401],
  ['that is bound to no pod', { ...accepted, user: { username: 'system:serviceaccount:shop:x' } }, 403],
  [
    'of something else than a service account',
    { ...accepted, user: { ...accepted.user, username: 'alice' } },
    403,
  ],
])('a token %s is refused', async (_, status, code) => {
  const { clock, identify } = scene(() => status);
  await expect(identify(token(60, clock), signal)).rejects.toMatchObject({ body: { code } });
});

/** A cluster that answers each review when the test says so. Only tokens that begin with "pod" are genuine. */
function slowCluster(slots: ReviewSlots) {
  const clock = new ManualClock();
  const pending: { token: string; answer: () => void }[] = [];
  const client = {
    raw: ({ body }: RawRequest) =>
      new Promise((resolve) => {
        const { token: its } = (body as { spec: { token: string } }).spec;
        const status = its.startsWith('pod') ? accepted : { authenticated: false };
        pending.push({ token: its, answer: () => resolve({ metadata: {}, status }) });
      }),
  } as unknown as KubeClient;
  return { clock, pending, identify: podIdentifier(client, clock, slots) };
}
const settled = () => new Promise((resolve) => void setImmediate(resolve));

describe('tokens that somebody forged', () => {
  test('do not delay the pods of other addresses', async () => {
    const slots = new ReviewSlots();
    const { identify, pending } = slowCluster(slots);
    const forged = Array.from({ length: 1_000 }, (_, n) => identify(`forged-${n}`, '203.0.113.9', signal));
    const outcomes = Promise.allSettled(forged);
    const pods = Array.from({ length: 24 }, (_, n) => identify(`pod-${n}`, `10.0.0.${n}`, signal));
    await settled();
    // All genuine tokens are in review, and the forged ones have their share.
    expect(pending.filter(({ token: its }) => its.startsWith('pod'))).toHaveLength(24);
    expect(pending).toHaveLength(32);
    expect(slots.waiting).toBe(992);
    for (const { answer } of pending) answer();
    expect((await Promise.all(pods)).map(({ is }) => is)).toEqual(pods.map(() => 'pod'));
    while (slots.waiting > 0) {
      await settled();
      for (const { answer } of pending) answer();
    }
    await settled();
    for (const { answer } of pending) answer();
    expect(new Set((await outcomes).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  test('evict no genuine token from the cache', async () => {
    const { identify, pending, clock } = slowCluster(
      new ReviewSlots({ running: 50_000, runningPerAddress: 50_000, waitingPerAddress: 50_000 }),
    );
    const genuine = identify('pod-1', '10.0.0.1', signal);
    await settled();
    for (const { answer } of pending) answer();
    await genuine;
    const forged = Array.from({ length: 25_000 }, (_, n) =>
      identify(`forged-${n}`, '203.0.113.9', new AbortController().signal),
    );
    const outcomes = Promise.allSettled(forged);
    await settled();
    for (const { answer } of pending) answer();
    await outcomes;
    await clock.advance(20_000);
    const reviews = pending.length;
    expect(await identify('pod-1', '10.0.0.1', signal)).toMatchObject({ name: 'web-1' });
    expect(pending).toHaveLength(reviews);
  });

  test('that wait in great number are refused for now, and the refusal is not remembered', async () => {
    const { identify, pending } = slowCluster(
      new ReviewSlots({ running: 1, runningPerAddress: 1, waitingPerAddress: 1 }),
    );
    const first = [identify('pod-1', '10.0.0.1', signal), identify('pod-2', '10.0.0.1', signal)];
    await expect(identify('pod-3', '10.0.0.1', signal)).rejects.toMatchObject({ body: { code: 429 } });
    for (const _ of first) {
      await settled();
      for (const { answer } of pending) answer();
    }
    await Promise.all(first);
    const again = identify('pod-3', '10.0.0.1', signal);
    await settled();
    for (const { answer } of pending) answer();
    expect(await again).toMatchObject({ name: 'web-1' });
  });
});

describe('reviews that wait for a slot', () => {
  const oneAtATime = { running: 100, runningPerAddress: 1, waitingPerAddress: 50_000 };

  test('are the same review for a client that retries while it waits for a slot', async () => {
    const { clock, identify, pending } = slowCluster(new ReviewSlots(oneAtATime));
    const busy = identify('forged', '10.0.0.1', signal).catch(() => undefined);
    const first = identify('pod-1', '10.0.0.1', signal);
    await clock.advance(11_000);
    const again = identify('pod-1', '10.0.0.1', signal);
    pending[0]?.answer();
    await busy;
    await settled();
    // The review has run for less than its limit.
    await clock.advance(9_000);
    const third = identify('pod-1', '10.0.0.1', signal);
    await settled();
    expect(pending.map(({ token: its }) => its)).toEqual(['forged', 'pod-1']);
    pending[1]?.answer();
    expect(await Promise.all([first, again, third])).toHaveLength(3);
    expect(pending).toHaveLength(2);
  });

  test('leave the line with the last client that waits', async () => {
    const slots = new ReviewSlots(oneAtATime);
    const { identify, pending } = slowCluster(slots);
    const busy = identify('forged', '10.0.0.1', signal).catch(() => undefined);
    const clients = [new AbortController(), new AbortController()];
    const waiting = clients.map((client) => identify('pod-1', '10.0.0.1', client.signal));
    const outcomes = Promise.allSettled(waiting);
    clients[0]?.abort(new Error('left'));
    await settled();
    expect(slots.waiting).toBe(1);
    clients[1]?.abort(new Error('left'));
    await settled();
    expect(slots.waiting).toBe(0);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    pending[0]?.answer();
    await busy;
    await settled();
    expect(pending).toHaveLength(1);
    const later = identify('pod-1', '10.0.0.1', signal);
    await settled();
    pending[1]?.answer();
    expect(await later).toMatchObject({ name: 'web-1' });
  });

  test('go on in a slot when their clients leave, for those who retry', async () => {
    const { identify, pending } = slowCluster(new ReviewSlots(oneAtATime));
    const client = new AbortController();
    const first = identify('pod-1', '10.0.0.1', client.signal);
    await settled();
    client.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    const again = identify('pod-1', '10.0.0.1', signal);
    pending[0]?.answer();
    expect(await again).toMatchObject({ name: 'web-1' });
    expect(pending).toHaveLength(1);
  });

  test('are not repeated when the token was accepted while the review waited', async () => {
    const slots = new ReviewSlots(oneAtATime);
    const { identify, pending } = slowCluster(slots);
    const busy = identify('forged', '10.0.0.1', signal).catch(() => undefined);
    const first = identify('pod-1', '10.0.0.1', signal);
    // So many that the cache does not know any more who waits.
    for (let n = 0; n < 25_000; n++)
      identify(`forged-${n}`, '203.0.113.9', new AbortController().signal).catch(() => {});
    const again = identify('pod-1', '10.0.0.1', signal);
    await settled();
    expect(slots.waiting).toBe(25_001);
    const of = (name: string) => pending.filter(({ token: its }) => its === name);
    of('forged')[0]?.answer();
    await busy;
    await settled();
    of('pod-1')[0]?.answer();
    expect(await first).toMatchObject({ name: 'web-1' });
    expect(await again).toMatchObject({ name: 'web-1' });
    expect(of('pod-1')).toHaveLength(1);
  });
});
