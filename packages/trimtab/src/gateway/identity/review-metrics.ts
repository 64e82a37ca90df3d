import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export interface ReviewMetrics {
  /** `failed` when the API server did not review the token. */
  reviewed(result: 'accepted' | 'refused' | 'failed', tookMs: number): void;
}

export function reviewMetrics(registry: Registry | undefined): ReviewMetrics {
  const total = registry?.counter({
    name: 'trimtab_gateway_token_reviews_total',
    help: 'TokenReviews of pod tokens, by result: accepted, refused, or failed without a result. Cached results are not counted.',
    labels: ['result'],
  });
  const duration = registry?.histogram({
    name: 'trimtab_gateway_token_review_duration_seconds',
    help: 'Duration of TokenReviews of pod tokens, with retries.',
    labels: [],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  });
  return {
    reviewed(result, tookMs) {
      total?.inc({ result });
      duration?.observe({}, tookMs / 1000);
    },
  };
}
