import { ApiError } from '@trimtab/kube/transport/errors.ts';

/** The pod asks for something that is not there, or not so. The message is Kubernetes' own; no values in it. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

/** What to show a person of a failure: the server's own words where it answered, several as Go joins them. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) {
    const messages = [...new Set(error.errors.map(messageOf))];
    return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
  }
  if (error instanceof ApiError) return error.body.message || error.message;
  return error instanceof Error ? error.message : String(error);
}

/** All that is wrong at once: who mends one thing should not meet the next only then. */
export function gathered<T>(items: readonly T[], step: (item: T) => void): void {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      step(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors);
}
