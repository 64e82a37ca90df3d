import { ApiError } from '@trimtab/kube/transport/errors.ts';

/** The pod refers to something missing or unsuitable. The message is Kubernetes' own and contains no values. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

/** The message of a failure for users: the API server's message when it responded; several are joined as Go does. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) {
    const messages = [...new Set(error.errors.map(messageOf))];
    return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
  }
  if (error instanceof ApiError) return error.body.message || error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Runs `step` for all items and throws all errors together, so that a user can fix them in one go. */
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
