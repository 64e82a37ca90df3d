import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { StatusError } from '../answer/status-error.ts';
import type { ReviewSlots } from '../limits/review-slots.ts';
import type { PodCaller } from '../request/gateway-request.ts';
import { canonicalToken } from './canonical-credential.ts';
import { fingerprint } from './fingerprint.ts';
import { reviewedPod, type TokenReview } from './pod-review.ts';
import { expiryOf, podAudience } from './pod-token.ts';
import { ReviewCache } from './review-cache.ts';
import { type ReviewMetrics, reviewMetrics } from './review-metrics.ts';

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
  slots: ReviewSlots,
  metrics: ReviewMetrics = reviewMetrics(undefined),
): (token: string, address: string, signal: AbortSignal) => Promise<PodCaller> {
  const reviews = new ReviewCache<PodCaller>({
    ...{ clock, maxReviews: maxTokens, acceptedMs, refusedMs, pendingMs: reviewTimeoutMs },
    isRefusal,
  });
  return async (token, address, signal) => {
    signal.throwIfAborted();
    return reviews.get(fingerprint(canonicalToken(token)), expiryOf(token), reviewed(token), {
      signal,
      queue: (run, abandoned) => slots.run(address, abandoned, run),
    });
  };

  function reviewed(token: string): () => Promise<PodCaller> {
    return async () => {
      const started = clock.monotonic();
      const ended = (result: 'accepted' | 'refused' | 'failed') =>
        metrics.reviewed(result, clock.monotonic() - started);
      try {
        const pod = await review(client, token);
        ended('accepted');
        return pod;
      } catch (error) {
        ended(isRefusal(error) ? 'refused' : 'failed');
        throw error;
      }
    };
  }
}

/** A review that did not take place, because too many wait, says nothing about the token. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.body.code !== 429;
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
