import type { KubeClient, RawRequest } from '@trimtab/kube/client.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
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
  const identify = podIdentifier(client, clock, reviewMetrics(registry));
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
