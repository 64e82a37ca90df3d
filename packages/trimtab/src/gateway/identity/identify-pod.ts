import { createHash } from 'node:crypto';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { StatusError } from '../answer/status-error.ts';
import type { PodCaller } from '../request/gateway-request.ts';
import { reviewedPod, type TokenReview } from './pod-review.ts';
import { expiryOf, podAudience } from './pod-token.ts';

interface Known {
  answer: Promise<PodCaller>;
  /** Monotonic. */
  until: number;
}

const maxTokens = 20_000;
const acceptedMs = 30_000;
const refusedMs = 3_000;
const reviewTimeoutMs = 10_000;

/**
 * Asks the cluster which pod a token belongs to, and remembers the answer for a short time. What a pod may do is
 * decided by its spec, which is looked at each time: a pod that is gone has no rights, whatever is remembered here.
 */
export function podIdentifier(
  client: KubeClient,
  clock: Clock,
): (token: string, signal: AbortSignal) => Promise<PodCaller> {
  /** By the hash of the token: a dump of our memory shows no token. In the order of asking. */
  const known = new Map<string, Known>();

  function ask(token: string): Known {
    const entry: Known = { answer: review(client, token), until: clock.monotonic() + reviewTimeoutMs };
    const livesMs = (expiryOf(token) ?? Number.POSITIVE_INFINITY) - clock.now();
    entry.answer.then(
      () => {
        entry.until = clock.monotonic() + Math.min(acceptedMs, livesMs);
      },
      (error: unknown) => {
        // A cluster that does not answer has not refused anybody.
        entry.until = error instanceof StatusError ? clock.monotonic() + refusedMs : 0;
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

/** Without the signal of whoever asks first: others may wait for the same answer. */
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
