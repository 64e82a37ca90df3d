import { createHash } from 'node:crypto';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { StatusError } from '../answer/status-error.ts';
import type { PodCaller } from '../request/gateway-request.ts';
import { reviewedPod, type TokenReview } from './pod-review.ts';
import { expiryOf, podAudience } from './pod-token.ts';
import { type ReviewMetrics, reviewMetrics } from './review-metrics.ts';

interface Known {
  answer: Promise<PodCaller>;
  /** When the entry expires, on the monotonic clock. */
  until: number;
}

const maxTokens = 20_000;
const acceptedMs = 30_000;
const refusedMs = 3_000;
const reviewTimeoutMs = 10_000;

/**
 * Identifies the pod of a token with a TokenReview and caches the result for a short time. The result grants nothing by
 * itself: the pod's spec is checked on each request, so a deleted pod has no rights even while its token is cached.
 */
export function podIdentifier(
  client: KubeClient,
  clock: Clock,
  metrics: ReviewMetrics = reviewMetrics(undefined),
): (token: string, signal: AbortSignal) => Promise<PodCaller> {
  /** By the hash of the token, so a memory dump reveals no token. Oldest review first. */
  const known = new Map<string, Known>();

  function ask(token: string): Known {
    const entry: Known = { answer: review(client, token), until: clock.monotonic() + reviewTimeoutMs };
    const started = clock.monotonic();
    const livesMs = (expiryOf(token) ?? Number.POSITIVE_INFINITY) - clock.now();
    entry.answer.then(
      () => {
        entry.until = clock.monotonic() + Math.min(acceptedMs, livesMs);
        metrics.reviewed('accepted', clock.monotonic() - started);
      },
      (error: unknown) => {
        // A failed request does not reject the token, so it is not cached.
        const isRefused = error instanceof StatusError;
        entry.until = isRefused ? clock.monotonic() + refusedMs : 0;
        metrics.reviewed(isRefused ? 'refused' : 'failed', clock.monotonic() - started);
      },
    );
    return entry;
  }

  return async (token, signal) => {
    signal.throwIfAborted();
    const hash = createHash('sha256').update(token).digest('base64');
    const found = known.get(hash);
    if (found !== undefined && clock.monotonic() < found.until) return found.answer;
    known.delete(hash);
    const asked = ask(token);
    known.set(hash, asked);
    const oldest = known.size > maxTokens ? known.keys().next() : undefined;
    if (oldest !== undefined && !oldest.done) known.delete(oldest.value);
    return asked.answer;
  };
}

/** Takes no AbortSignal because several requests may wait for the same review. */
async function review(client: KubeClient, token: string): Promise<PodCaller> {
  const answer = await client.raw<TokenReview>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token, audiences: [podAudience] },
    },
    timeoutMs: reviewTimeoutMs,
  });
  return reviewedPod(answer);
}
