import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { BodyBudget } from './body-budget.ts';
import type { CallerSlots } from './caller-slots.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { ReviewSlots } from './review-slots.ts';
import type { Turns } from './turns.ts';
import type { UnsentBudget } from './unsent-budget.ts';

interface Limited {
  inFlight: ConcurrencyLimit;
  streams: ConcurrencyLimit;
  budget: BodyBudget;
  slots: CallerSlots;
  reviewSlots: ReviewSlots;
  turns: Turns;
  unsent: UnsentBudget;
}

export interface LimitMetrics {
  connectionRefused(limit: 'total' | 'address' | 'unused'): void;
  answerCutOff(): void;
}

export function limitMetrics(
  registry: Registry | undefined,
  { inFlight, streams, budget, slots, reviewSlots, turns, unsent }: Limited,
): LimitMetrics {
  registry?.gauge({
    name: 'trimtab_gateway_requests_in_flight',
    help: 'Requests in progress; watches and other streams are not counted.',
    collect: (set) => set({}, inFlight.size),
  });
  registry?.gauge({
    name: 'trimtab_gateway_streams_in_progress',
    help: 'Watches, logs, exec and port-forward in progress, as --max-streams counts them.',
    collect: (set) => set({}, streams.size),
  });
  registry?.gauge({
    name: 'trimtab_gateway_buffered_body_bytes',
    help: 'Memory for the bodies of requests in progress.',
    collect: (set) => set({}, budget.used),
  });
  registry?.gauge({
    name: 'trimtab_gateway_unsent_response_bytes',
    help: 'Memory for what clients have not taken yet of responses and watches of versions.',
    collect: (set) => set({}, unsent.used),
  });
  registry?.gauge({
    name: 'trimtab_gateway_expensive_requests_waiting',
    help: 'Expensive requests that wait until others of the same caller have ended.',
    collect: (set) => set({}, slots.waiting),
  });
  registry?.gauge({
    name: 'trimtab_gateway_turns_waiting',
    help: 'Requests that wait for their turn to use the CPU.',
    collect: (set) => set({}, turns.waiting),
  });
  registry?.gauge({
    name: 'trimtab_gateway_token_reviews_waiting',
    help: 'TokenReviews of pod tokens that wait for a slot.',
    collect: (set) => set({}, reviewSlots.waiting),
  });
  const refused = registry?.counter({
    name: 'trimtab_gateway_connections_refused_total',
    help: 'Connections that were closed because of a limit: total, address, or unused for those that have sent no request.',
    labels: ['limit'],
  });
  const cutOff = registry?.counter({
    name: 'trimtab_gateway_answers_cut_off_total',
    help: 'Responses that were broken off because the client did not read them.',
  });
  return {
    connectionRefused: (limit) => refused?.inc({ limit }),
    answerCutOff: () => cutOff?.inc(),
  };
}
